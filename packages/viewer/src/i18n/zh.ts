/** The page's texts in Chinese. `zh/` has the texts of single pages. `i18n.svelte.ts` chooses the language. */

import type { Dictionary } from './en.ts';
import { health } from './zh/health.ts';
import { incidents } from './zh/incidents.ts';
import { inspector } from './zh/inspector.ts';
import { now } from './zh/now.ts';
import { start } from './zh/opening.ts';
import { edit, merge, pattern, patterns, solutions, split } from './zh/patterns.ts';
import { problems } from './zh/problems.ts';
import { comparison, run, runs, tests } from './zh/runs.ts';
import { category, kind, proof, source, status, testState, verdict } from './zh/values.ts';

export const zh: Dictionary = {
  skip: '跳到内容',
  opening: '正在打开…',
  waiting: '正在等待结果',
  placesLabel: '导航',
  places: {
    now: '现状',
    patterns: '失败模式',
    runs: '运行',
    health: '健康',
    tests: '测试矩阵',
    compare: '对比',
    incidents: '事件',
    inspector: '检查器',
  },
  nowhere: { title: '此地址没有内容', text: '链接可能已过期，或者缺少字符。' },
  otherLanguageLabel: 'Switch to English',
  toDark: '切换到深色',
  toLight: '切换到浅色',
  close: '关闭',
  cancel: '取消',
  save: '保存',
  all: '全部',
  copied: '已复制',
  copyId: '复制 ID',
  copySignature: '复制签名',
  clearFilters: '清除筛选',
  showMore: (count) => `显示更多（还有 ${count} 个字符）`,
  updated: (times) => `已更新为最新记录（${times}）`,
  about: {
    live: '实时',
    lost: '连接中断',
    lostText: '服务器没有响应，这里是中断前的内容。如果它已结束，请重新运行 argus-mcp view 并打开它输出的地址。',
    file: '文件',
    snapshot: (at) => `${at} 的快照`,
  },
  keys: {
    title: '键盘操作',
    search: '按 / 搜索',
    list: [
      ['/', '跳到搜索框'],
      ['↑ ↓', '在列表的行之间移动；在搜索框按 ↓ 跳到第一行'],
      ['Home End', '第一行和最后一行'],
      ['Enter', '打开该行'],
      ['Esc', '关闭、清空搜索或返回列表'],
      ['?', '显示本帮助'],
    ],
  },
  category,
  verdict,
  testState,
  proof,
  source,
  kind,
  status,
  pager: {
    label: '分页',
    previous: '上一页',
    next: '下一页',
    range: (first, last, total) => `第 ${first}–${last} 条，共 ${total} 条`,
    beyond: (total) => `此页没有内容，共 ${total} 条`,
  },
  now,
  patterns,
  pattern,
  solutions,
  edit,
  merge,
  split,
  runs,
  run,
  comparison,
  tests,
  health,
  incidents,
  inspector,
  start,
  app: {
    title: '失败模式',
    waiting: '正在等待数据…',
    none: '还没有失败模式',
    noneText: '诊断失败时会学到模式。',
    failed: '工具返回了错误',
    more: (shown, total) => `显示了 ${total} 个中的 ${shown} 个；用 offset 获取更多。`,
  },
  problem: (code) => problems[code],
  problemElse: '操作未成功',
};
