/** Chinese error messages with advice. */

import type * as en from '../en/problems.ts';

export const problems: typeof en.problems = {
  UNAUTHORIZED: {
    title: '此地址没有有效的令牌',
    next: '请打开 argus-mcp view 输出的地址；如果无效，请重新运行它。',
  },
  SERVER_GONE: { title: '服务器没有响应', next: '请重新运行 argus-mcp view 并打开它输出的地址。' },
  FILE_EMPTY: { title: '文件为空', next: '请选择项目 .argus 文件夹中的 argus.db。' },
  NOTHING_OPEN: { title: '没有打开的数据库', next: '请将数据库拖放到页面上。' },
  DATABASE_CORRUPT: {
    title: '这不是 Argus 数据库，或者已损坏',
    next: '请选择项目 .argus 文件夹中的 argus.db；如果正是它，argus-mcp doctor 会给出更多信息。',
  },
  DATABASE_NEWER: {
    title: '此数据库来自更新版本的 Argus',
    next: '请用该版本的页面打开：npx argus-mcp@latest view。',
  },
  DATABASE_LOCKED: { title: '数据库正忙', next: '有人正在写入，请稍后再试。' },
  DATABASE_READ_ONLY: { title: '数据库无法写入', next: '请检查 .argus 文件夹的权限。' },
  DATABASE_FULL: { title: '磁盘已满', next: '请释放空间后重试。' },
  DATABASE_UNAVAILABLE: { title: '无法打开数据库', next: '它可能已被移动，或复制时缺少旁边的 argus.db-journal 文件。' },
  TEAM_UNREACHABLE: { title: '团队服务器没有响应', next: '期间的记录会保存在本机等待发送；请稍后重新加载页面。' },
  TEAM_DENIED: { title: '团队服务器拒绝了令牌', next: '它可能已过期；请向管理员申请新的令牌。' },
  RUN_NOT_FOUND: { title: '没有此运行的记录', next: '它可能已按保留规则删除。' },
  CASE_NOT_FOUND: { title: '此运行中没有该测试', next: '请在运行的用例中搜索其名称。' },
  PATTERN_NOT_FOUND: { title: '没有此模式', next: '请在失败模式中搜索其词语。' },
  INCIDENT_NOT_FOUND: { title: '没有此事件', next: '请在事件中搜索其词语。' },
  INVALID_INPUT: { title: '输入未被接受', next: '请按消息所述修改。' },
  INTERNAL_ERROR: { title: '发生了意外错误', next: '请重新加载页面；已存储的内容不会丢失。' },
};
