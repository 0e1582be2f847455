/** Chinese texts of the page that opens a database. */

import type * as en from '../en/opening.ts';

export const start: typeof en.start = {
  title: '将 Argus 数据库拖放到这里',
  text: '项目的 argus.db 文件在本页中以只读方式读取，大小不限。',
  pick: '选择文件',
  keep: '在此浏览器中保留副本以便再次打开',
  again: (name, size) => `再次打开 ${name}（${size}）`,
  forget: '忘记它',
  local: '数据不会离开浏览器。',
  where: '文件在哪里？',
  whereText: '在项目文件夹中：',
  live: '或实时查看',
  liveText: '在代理工作时跟踪项目：',
  inspectorText: '无需数据库：',
  toInspector: '检查一个错误',
  dropHere: '松开以打开数据库',
  unrecorded: (project) => `${project} 还没有记忆`,
  unrecordedText: '请先记录一次运行：代理使用 argus_run，人使用这条命令。记录后会自动出现在这里。',
  off: (project) => `${project} 不保留记忆`,
  offText: '它的 argus.yaml 中写有 history.enabled: false。请去掉这一项，然后重新运行 argus-mcp view。',
  orFile: '或将其他 Argus 数据库拖放到这里',
};
