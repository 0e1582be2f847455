//! The six built-in patterns with their texts and categories, as in `docs/contract/argus-patterns.md`. The store counts
//! how often they match.

use crate::failure::category::Category;

/// The language of built-in suggestions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Locale {
    /// Chinese, the language of the contract's own texts.
    Zh,
    /// English.
    #[default]
    En,
}

/// A built-in pattern: a category with a suggested fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinPattern {
    /// `builtin-…`.
    pub id: &'static str,
    /// Category of the failures that it matches.
    pub category: Category,
    /// Readable form of the matched text.
    pub signature_pattern: &'static str,
    /// The description, which is in English for both locales, as in the contract.
    pub description: &'static str,
    /// Suggested fix in Chinese.
    pub fix_zh: &'static str,
    /// Suggested fix in English.
    pub fix_en: &'static str,
}

impl BuiltinPattern {
    /// Returns `builtin::CATEGORY`.
    pub fn signature(&self) -> String {
        format!("builtin::{}", self.category)
    }

    /// Returns the suggested fix in the reader's language.
    pub const fn suggested_fix(&self, locale: Locale) -> &'static str {
        match locale {
            Locale::Zh => self.fix_zh,
            Locale::En => self.fix_en,
        }
    }
}

/// The built-in patterns, in the order of the contract.
pub const BUILTIN_PATTERNS: [BuiltinPattern; 6] = [
    BuiltinPattern {
        id: "builtin-conn-refused",
        category: Category::ConnectionRefused,
        signature_pattern: "ECONNREFUSED *:*",
        description: "Service connection refused",
        fix_zh: "服务可能未完全启动，尝试增加 healthcheck.startPeriod",
        fix_en: "The service may not have fully started: check that it runs and listens on this address; in a container, try a longer healthcheck.startPeriod",
    },
    BuiltinPattern {
        id: "builtin-timeout",
        category: Category::Timeout,
        signature_pattern: "ETIMEDOUT / timeout exceeded",
        description: "Request or operation timed out",
        fix_zh: "请求超时，检查服务响应时间或增加 timeout 配置",
        fix_en: "The request timed out; check the service's response time or raise the configured timeout",
    },
    BuiltinPattern {
        id: "builtin-container-oom",
        category: Category::ContainerOom,
        signature_pattern: "OOMKilled / exit code 137",
        description: "Container killed for exceeding its memory limit",
        fix_zh: "容器内存不足被终止，增加容器内存限制或排查内存泄漏",
        fix_en: "The container was killed for memory; raise its memory limit or look for a memory leak",
    },
    BuiltinPattern {
        id: "builtin-http-error",
        category: Category::HttpError,
        signature_pattern: "HTTP 4xx / 5xx",
        description: "API endpoint returning server error",
        fix_zh: "服务端错误，检查容器日志定位 root cause",
        fix_en: "The server answered with an error; find the root cause in the container's log",
    },
    BuiltinPattern {
        id: "builtin-mock-mismatch",
        category: Category::MockMismatch,
        signature_pattern: "unmatched mock request / call",
        description: "Request or call did not match any mock",
        fix_zh: "请求未匹配任何 mock，检查 mock 定义的方法、路径和参数",
        fix_en: "No mock matched; check the method, path and arguments the mock is defined with",
    },
    BuiltinPattern {
        id: "builtin-assertion",
        category: Category::AssertionMismatch,
        signature_pattern: "expected * but got *",
        description: "Assertion did not hold",
        fix_zh: "断言不匹配，对比期望值与实际值，确认是代码缺陷还是测试过期",
        fix_en: "An assertion failed; compare expected and actual and decide whether the code or the test is wrong",
    },
];

/// Returns the built-in pattern of a category; some categories have none.
pub fn find_builtin_pattern(category: Category) -> Option<&'static BuiltinPattern> {
    BUILTIN_PATTERNS.iter().find(|builtin| builtin.category == category)
}
