/** Chinese texts of the pages about incidents. */

import type * as en from '../en/incidents.ts';

export const incidents: typeof en.incidents = {
  search: '搜索事件和解决方案',
  searchPlaceholder: '错误文本，或用文字描述问题',
  env: '环境',
  anyEnv: '任意环境',
  count: (_, shown) => `${shown} 条结果`,
  score: (share) => `匹配度 ${share}`,
  scoreExplain: '与文本的匹配程度',
  because: '依据：',
  solutions: (_, shown) => `${shown} 个解决方案`,
  userMemory: '来自用户记忆',
  confirmed: '最近有效',
  confirmedHead: '最近有效',
  none: '还没有事件',
  noneText: '代理解决了未知问题后，用 add_incident 添加事件。',
  noneFit: '没有匹配的结果',
  noneFitText: '试试错误的第一行，或减少词语。',
  noSolution: '还没有人添加解决方案。',
  perEnv: '各环境中的结果',
  workedHead: '有效',
  failedHead: '无效',
  outcomes: (count) => `结果（${count}）`,
  parts: {
    env_match_score: '环境匹配',
    reliability_score: '可靠性',
    recency_boost: '时效',
    final_solution_score: '总分',
  },
};
