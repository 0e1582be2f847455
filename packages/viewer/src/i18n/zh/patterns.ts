/** Chinese texts of the pages about patterns and their edits. */

import type * as en from '../en/patterns.ts';

export const patterns: typeof en.patterns = {
  filters: '筛选',
  category: '类别',
  source: '来源',
  search: '搜索失败模式',
  caption: '失败模式；点击表头排序',
  count: (_, shown) => `${shown} 个模式`,
  columns: {
    category: '类别',
    description: '模式',
    suggestedFix: '建议修复',
    confidence: '置信度',
    occurrences: '出现',
    resolutions: '修复',
    source: '来源',
    lastSeen: '最近出现',
  },
  short: { occurrences: '出现', resolutions: '修复' },
  edited: '已编辑',
  never: '从未',
  noFix: '尚无修复记录',
  none: '还没有失败模式',
  noneText: '当代理用 argus_diagnose 诊断失败时，会学到一个模式。',
  noneFit: '没有符合的模式',
  noneFitText: '搜索的每个词都必须出现在描述、修复、测试名称或 ID 中。',
};

export const pattern: typeof en.pattern = {
  confidence: '置信度',
  occurrences: '出现次数',
  resolutions: '修复次数',
  firstSeen: '首次出现',
  lastSeen: '最近出现',
  editedByPerson: '经人工编辑',
  edit: '编辑',
  merge: '合并',
  suggestedFix: '建议修复',
  noFix: '还没有人报告过修复。代理用 argus_report_fix 报告。',
  noneHeld: '报告过的修复都未奏效，或已被标记为错误。代理用 argus_report_fix 报告修复。',
  learned: '学习所得：',
  overTime: '置信度变化',
  knownSince: '计数始于',
  oneMoment: '尚未变化。',
  fixHistory: '修复历史',
  fixState: { worked: '有效', failed: '无效', wrong: '已标记为错误' },
  noFixes: '没有报告过修复。',
  recorded: (by: string, from: string | null) => (from === null ? `由 ${by} 记录` : `由 ${by} 在 ${from} 上记录`),
  run: '运行',
  seen: '出现于',
  seenCount: (_, shown) => `${shown} 次失败`,
  notSeen: '仍保留的运行中没有出现。',
  test: '测试',
  headline: '错误',
  when: '时间',
  sample: '样本',
  redacted: '已去除机密信息',
  more: '此模式的更多信息',
  tests: '测试',
  failures: (_, shown) => `${shown} 次失败`,
  related: '相关',
  alike: (share) => `相似度 ${share}`,
  merged: '计入此模式',
  ids: '标识',
  id: 'ID',
  signature: '签名',
  signaturePattern: '签名内容',
};

export const solutions: typeof en.solutions = {
  title: '解决方案',
  suggested: '建议',
  set: '人工设定',
  wrong: '错误',
  worked: (worked, failed) => `有效 ${worked} 次，无效 ${failed} 次`,
  mark: '标记为错误',
  unmark: '取消错误标记',
};

export const edit: typeof en.edit = {
  title: '编辑模式',
  explain: '你设定的内容与学习所得分开保存，之后的运行不会覆盖它。',
  category: '类别',
  description: '描述',
  suggestedFix: '建议修复',
  fixPlaceholder: '此失败再次出现时该怎么做',
  learned: '学习所得：',
  back: '恢复学习所得',
};

export const merge: typeof en.merge = {
  title: '合并到另一个模式',
  explain: '此模式将成为所选模式的一部分，以后的失败计入后者。',
  search: '搜索另一个模式',
  into: '合并到',
  none: '没有其他符合的已学习模式。',
  times: (_, shown) => `出现 ${shown} 次`,
  do: '合并',
};

export const split: typeof en.split = {
  title: '不是同一失败',
  explain: '它将成为独立的模式，以后的失败计入其自身。修复仍保留在此。',
  do: '不是同一失败',
};
