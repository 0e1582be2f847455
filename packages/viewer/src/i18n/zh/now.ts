/** Chinese texts of the start page. */

import type * as en from '../en/now.ts';

export const now: typeof en.now = {
  failed: (what) => `最近一次运行失败：${what}`,
  failedWhole: '最近一次运行失败，但没有测试说明原因',
  passed: '最近一次运行通过',
  openRun: '打开此次运行',
  calm: '没有其他未决事项',
  calmText: '目前没有损坏或不稳定的测试，也没有等待证明的修复。',
  nothing: '还没有任何记录',
  nothingText: '请通过 Argus 运行一次测试：失败的内容、原因以及以前的修复会显示在这里。在项目文件夹中执行：',
  foreign: '没有此副本的运行记录',
  foreignText: '已记录的运行来自复刻或其他副本，不能说明此项目的情况。在项目文件夹中执行：',
  elsewhere: '其他需要关注的测试',
  toHealth: '查看全部测试以及运行的变化趋势',
  claims: '声称有效、尚未被任何运行证明的修复',
  passes: (passes, needed) => `需通过 ${needed} 次，已通过 ${passes} 次`,
  fixes: '可能是修复的更改',
};
