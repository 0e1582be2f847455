/** Chinese names of values that many pages show. */

import type * as en from '../en/values.ts';

export const category: typeof en.category = {
  ASSERTION_MISMATCH: '断言不匹配',
  HTTP_ERROR: 'HTTP 错误',
  TIMEOUT: '超时',
  CONNECTION_REFUSED: '连接被拒绝',
  CONTAINER_OOM: '容器内存不足',
  CONTAINER_CRASH: '容器崩溃',
  MOCK_MISMATCH: 'Mock 不匹配',
  CONFIG_ERROR: '配置错误',
  NETWORK_ERROR: '网络错误',
  UNKNOWN: '未知',
};

export const verdict: typeof en.verdict = {
  regression: '回归',
  broken: '一直失败',
  flaky: '不稳定',
  infrastructure: '环境设施故障',
  order: '依赖执行顺序',
  environment: '依赖环境条件',
  new: '首次出现',
  unknown: '原因不明',
};

export const testState: typeof en.testState = {
  broken: '损坏',
  flaky: '不稳定',
  order: '依赖执行顺序',
  environment: '依赖环境条件',
  healthy: '健康',
};

export const proof: typeof en.proof = {
  claimed: '已声明',
  candidate: '尚未证实',
  proved: '已证实',
  refuted: '已推翻',
  superseded: '已被取代',
};

export const source: typeof en.source = { learned: '已学习', 'built-in': '内置' };

export const kind: typeof en.kind = { pattern: '模式', incident: '事件' };

export const status: typeof en.status = {
  passed: '通过',
  failed: '失败',
  flaky: '不稳定',
  skipped: '跳过',
  absent: '不存在',
};
