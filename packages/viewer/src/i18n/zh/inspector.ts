/** Chinese texts of the inspector. */

import type * as en from '../en/inspector.ts';

export const inspector: typeof en.inspector = {
  lead: '引擎在本页中如何理解一个错误。不存储，也不计数。',
  error: '错误',
  example: '试试示例',
  clear: '清空',
  placeholder: '粘贴错误、堆栈或日志末尾…',
  facts: '更多信息',
  caseName: '测试',
  exceptionType: '异常类型',
  exitCode: '退出码',
  httpStatus: 'HTTP 状态码',
  category: '类别',
  rule: '规则',
  evidence: '依据',
  redactions: '已去除的机密',
  signature: '签名',
  family: '族签名',
  text: '文本',
  textNote: '已标出依据，已去除机密',
  normalized: '规范化文本',
  normalizedNote: '每次运行都会变化的部分为占位符',
  matches: '记忆中的匹配',
  exact: '相同的失败',
  noMatch: '没有类似的记录。',
  emptyTitle: '粘贴一个错误，查看它如何被解读',
  emptyText: '类别与规则、起决定作用的词语、去除变化部分的文本、签名以及匹配结果。',
};
