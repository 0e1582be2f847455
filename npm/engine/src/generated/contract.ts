// Generated from crates/engine/src/contract.rs by `cargo xtask types`; edit there.

/** A problem with a tried fix and its result. */
export type AddIncidentParams = {
  /** Title in one line, cut to 500 characters. */
  title: string,
  /** The error as printed. */
  error_signature?: string | null,
  /** The problem in words. */
  summary?: string | null,
  /** Labels, at most 50 with 100 characters each. */
  tags?: Array<string> | null,
  /** The search that found nothing. */
  lookup_id?: string | null,
  /** Steps of the solution, at most 100 KB. */
  steps: string,
  /** Environment in which it was tried. */
  env: Record<string, unknown>,
  /** Canonical form of the environment. Replaces the form that is derived from `env`. */
  env_bucket?: string | null,
  /** True if the steps solved it. */
  worked: boolean,
  /** Remarks, at most 10 KB. */
  notes?: string | null,
  /** Adds the incident even if a similar incident exists. */
  force?: boolean | null,
  /** Facts that the host detected about project and machine. They fill gaps in `env`. */
  detected_env?: Record<string, unknown> | null,
};

/** A new incident, or the existing similar incident. */
export type AddIncidentResult = IncidentCreated | IncidentDuplicate;

/** A fix to add to an incident. */
export type AddSolutionParams = {
  /** `inc-…` or `pat-…`. */
  incident_id: string,
  /** Steps of the solution, at most 100 KB. */
  steps: string,
  /** Environment it is written for. */
  env: Record<string, unknown>,
  /** Canonical form of the environment. Replaces the form that is derived from `env`. */
  env_bucket?: string | null,
  /** The search that led to the incident. */
  lookup_id?: string | null,
  /** Facts that the host detected about project and machine. They fill gaps in `env`. */
  detected_env?: Record<string, unknown> | null,
};

/** An added solution. */
export type AddSolutionResult = {
  /** `sol-…`. */
  solution_id: string,
  /** Environment it is written for. */
  env_bucket: string,
  /** False if the same steps for the same environment already existed. */
  created: boolean,
  /** Detected fields that were missing in `env`. */
  detected_env?: Record<string, string>,
  /** Next step. */
  next_action: NextAction,
};

/** A test that failed with a pattern. */
export type AffectedTest = {
  /** `file > suite > name`. */
  caseName: string,
  /** Number of recorded runs with the failure. */
  failures: number,
  /** Newest of these runs. */
  lastRunId: string,
  /** Start of that run. */
  lastSeenAt: string,
};

/** A declared fix. */
export type AppliedFix = {
  /** Description of the fix. */
  description: string,
  /** Digest of the change in the work tree. */
  digest: string | null,
  /** Files that the fix changed. */
  files: Array<FileChange>,
  /** A change outside the work tree. */
  outside: string | null,
  /** Approach of the fix. */
  approach: FixApproach,
};

/** An entry of the audit log. */
export type AuditEntry = {
  /** Time, ISO 8601. */
  at: string,
  /** Token that was used. Null without a known token. */
  tokenId: string | null,
  /** Project of the action, or null if the action concerns no project. */
  project: string | null,
  /** Name of the action. */
  action: string,
  /** True if the action was denied. */
  isDenied: boolean,
};

/** Newest entries of the audit log. */
export type AuditLog = {
  /** Entries, newest first. */
  entries: Array<AuditEntry>,
};

/** Size of the requested part of the audit log. */
export type AuditLogParams = {
  /** Number of entries. Default: 100. */
  limit?: number | null,
};

/** An action for the audit log. */
export type AuditParams = {
  /** Token that was used. Absent if the request had no known token. */
  tokenId?: string | null,
  /** Project of the action. Absent if the action concerns no project. */
  project?: string | null,
  /** Name of the call, `token create` or `login`. */
  action: string,
  /** True if the action was denied. */
  isDenied: boolean,
};

/** The start of a failure, in short. */
export type BriefFailingSince = {
  /** Start of the first run with the failure, ISO 8601. */
  startedAt: string,
  /** Number of runs in a row that have failed, including this run. */
  runs: number,
  /** Files of the uncommitted edit that broke the test, at most 3. Empty if the commit or the branch has changed
   * since that run. */
  edited?: Array<string>,
};

/** A verdict, in short. */
export type BriefVerdict = {
  /** Kind of verdict. */
  kind: VerdictKind,
  /** Calibrated probability of the verdict, from 0 to 1. */
  probability: number,
  /** The commit that most likely introduced the failure. */
  suspect?: string,
  /** True if the tree lost `suspect` by a reset or a switch of the branch, so that the failure comes from its
   * absence. */
  lost?: boolean,
  /** Start of the failure, for `regression` and `broken`. Absent if the failure started in this run without an
   * uncommitted edit. */
  since?: BriefFailingSince,
};

/** Statistics of a solution in an environment. */
export type BucketStats = {
  /** The environment. */
  env_bucket: string,
  /** Number of successes there. */
  worked: number,
  /** Number of failures there. */
  failed: number,
  /** Time of the last success there. */
  last_confirmed_at: string | null,
};

/** Outcome of a case in a run. */
export type CaseHistoryEntry = {
  /** `run-…`. */
  runId: string,
  /** Start of the run. */
  timestamp: string,
  /** Outcome of the case. */
  state: CaseState,
};

/** A case of a run. */
export type CaseRecord = {
  /** `file > suite > name`. */
  caseName: string,
  /** Outcome of the case. */
  status: CaseStatus,
  /** True if it failed and then passed within the run. */
  flaky: boolean,
  /** Outcome in the runner's own word. */
  runnerStatus: string | null,
  /** Duration in milliseconds. */
  durationMs: number | null,
  /** Number of attempts. */
  attempts: number,
  /** Category of the failure. */
  category: FailureCategory | null,
  /** The error in one line. */
  headline: string | null,
  /** Error text of the failure, redacted. */
  error: string | null,
  /** Signature of the failure. */
  signature: string | null,
  /** Verdict on the failure. */
  verdict?: BriefVerdict,
  /** Id of the failure's cause. */
  causeId?: string,
  /** Earlier runs that can excuse the failure at a gate. Absent if there are no such runs. */
  precedents?: Precedents,
};

/** Outcome of a case in a run. */
export type CaseState = "passed" | "failed" | "flaky" | "skipped" | "absent";

/** Outcome of a case. */
export type CaseStatus = "passed" | "failed" | "skipped";

/** Verdict on a failing case of a run, from earlier runs. */
export type CaseVerdict = {
  /** `file > suite > name`. */
  caseName: string,
  /** Verdict on the failure. */
  verdict: Verdict,
  /** Id of the failure's cause. It stays the same in later runs while the cause lasts. */
  causeId: string,
  /** Commits that may have introduced the failure, most likely first. Their probabilities and the probability
   * that none of them did sum to 1. */
  suspects: Array<SuspectCommit>,
  /** Earlier runs with the same failure, or with a pass on the same tree. Absent if there are no such runs. */
  precedents?: Precedents,
  /** True if the failure was diagnosed, so that a person who looks at it again does not count it again. */
  diagnosed?: boolean,
};

/** Number of patterns of a category. */
export type CategoryCount = {
  /** Category. */
  category: FailureCategory,
  /** Number of patterns. */
  count: number,
};

/** A group of failures with the same cause, such as the same error at the same place, or an outage. */
export type Cause = {
  /** `cause-…`. The id stays the same in later runs while the cause lasts. */
  causeId: string,
  /** The error in one line. */
  headline: string,
  /** `file:line` in the project's own code, else in the test. */
  place?: string,
  /** Number of failures. */
  count: number,
  /** Names of the first cases. */
  cases: Array<string>,
  /** Verdict of the first failure whose test is not new, else of the first failure. */
  verdict?: BriefVerdict,
};

/** Kinds of changes, most urgent first. */
export type ChangeKind = "failing" | "flaky" | "new" | "fixed";

/** Changes of a commit in a file. */
export type ChangedSource = {
  /** Path from the root of the repository, with `/`. */
  file: string,
  /** Changed functions and types. Empty if unknown. */
  symbols: Array<string>,
};

/** Changes between the last run without a failure and a failed run. */
export type ChangesSinceGreen = {
  /** The newest earlier run of the branch without a failure. */
  runId: string,
  /** Number of commits between the two runs. */
  commits: number,
  /** Number of commits that the failed run lacks, because the branch was reset. */
  lost?: number,
  /** Files whose uncommitted edits differ between the two runs. At most 20. */
  edited?: Array<string>,
};

/** A fix from a commit. */
export type ChosenFix = {
  /** `fix-…`. */
  fixId: string,
  /** Description of the change. */
  fix: string,
};

/** State of a circuit. */
export type CircuitState = "CLOSED" | "OPEN";

/** A commit with its diff. */
export type CommitDiff = {
  /** Full hash. */
  commit: string,
  /** UTC milliseconds since the epoch. */
  committedAt: number,
  /** Diff in git's format. */
  diff: string,
};

/** A commit and its parents. */
export type CommitFacts = {
  /** Full hash. */
  commit: string,
  /** Full hashes of the parents. */
  parents: Array<string>,
  /** Author time in UTC milliseconds, which amending and rebasing keep. Absent if unknown. */
  authoredAt?: number,
  /** Files that it touched, relative to the project. Empty if unknown. */
  files?: Array<string>,
  /** Git's id of the commit's tree. Absent if unknown. */
  tree?: string,
  /** Its diff. None for an older commit, for a merge, and for a diff that is too large or must not leave the
   * machine. */
  hunks?: string,
};

/** A commit with its message. */
export type CommitMessage = {
  /** Full hash. */
  commit: string,
  /** Title and body. */
  message: string,
};

/** Part of a failure that a commit changed, strongest relation first. */
export type CommitRelation = "testAndSymbol" | "test" | "symbol" | "testFile";

/** A test in two runs. */
export type ComparedCase = {
  /** `file > suite > name`. */
  caseName: string,
  /** Outcome in base. */
  base: CaseState,
  /** Outcome in head. */
  head: CaseState,
  /** Category of the failure in head, else in base. */
  category: FailureCategory | null,
  /** Headline of the same failure. */
  headline: string | null,
  /** Recorded verdict on the failure in head. None if it did not fail there, or if an older version recorded the
   * run. */
  verdict: BriefVerdict | null,
};

/** A page of compared tests. */
export type ComparedCases = {
  /** Page of the list. */
  cases: Array<ComparedCase>,
  /** Number of tests. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
};

/** Selects ids by their beginning. */
export type CompleteIdsParams = {
  /** Kind of id. */
  kind: IdKind,
  /** Beginning of the ids. */
  prefix: string,
};

/** Confidence of a pattern at a time. */
export type ConfidencePoint = {
  /** Time of the point. */
  at: string,
  /** `(resolutions + 1) / (occurrences + 2)`. */
  confidence: number,
  /** Number of diagnoses until then. */
  occurrences: number,
  /** Number of reported successes until then. */
  resolutions: number,
  /** True if the counts of that day are stored. Otherwise they are derived from reports, and `occurrences` is a
   * minimum. */
  known: boolean,
};

/** State of a container. */
export type ContainerFact = {
  /** Container or pod/container name. */
  name: string,
  /** State or reason: `running`, `exited`, `CrashLoopBackOff`, `OOMKilled`. */
  status?: string | null,
  /** True if it was killed for exceeding its memory limit. */
  oomKilled?: boolean | null,
  /** Exit code of its last run. */
  exitCode?: number | null,
};

/** A new token. The secret stays with the caller. */
export type CreateTokenParams = {
  /** Public part of the token. The holder sends it with each request. */
  id: string,
  /** Name of the holder: a person or a machine. */
  name: string,
  /** SHA-256 of the secret, hex. */
  digest: string,
  /** Highest scope of the token. */
  scope: Scope,
  /** Allowed projects. Default: all. */
  projects?: Array<string> | null,
  /** Days until it expires. Default: never. */
  expiresInDays?: number | null,
};

/** Selects the failure to diagnose. */
export type DiagnoseParams = {
  /** `run-…`. */
  runId: string,
  /** Qualified name, or a short name that is unique in the run. */
  caseName: string,
  /** Pattern that was matched by mistake. The failure is never matched with it again. */
  notSameAs?: string,
  /** Count an occurrence only if this failure of this run was not diagnosed before. False by default. */
  once?: boolean,
};

/** Diagnosis of a failure, with known fixes. */
export type DiagnosticResult = {
  /** Category of the failure. */
  category: FailureCategory,
  /** Finer than `category`, from a closed list. */
  failureKind: FailureKind,
  /** The error message with the compared values. */
  message: string,
  /** `file:line` in the project's own code. */
  place?: string,
  /** `file:line` in the test, or the file alone if the line is unknown. */
  testPlace?: string,
  /** Exit code of the process that failed. */
  exitCode?: number,
  /** Signal that ended the process. */
  signal?: string,
  /** Failures of this run with the same error at the same place. This answer applies to all of them. */
  cause: Cause,
  /** Verdict from all earlier runs. Absent for runs recorded by an older version. */
  verdict?: Verdict,
  /** Commits that may have introduced the failure, most likely first. Their probabilities and the probability
   * that none of them did sum to 1. */
  suspects?: Array<SuspectCommit>,
  /** Hex SHA-256. */
  signature: string,
  /** `category::caseName::normalizedError`. */
  signaturePattern: string,
  /** The matched pattern, after counting this occurrence. */
  pattern: FailurePattern | null,
  /** How the failure was recognized. */
  match: Match,
  /** The best known fix: from the pattern, else from the same error in another case, else the tip of a built-in
   * pattern. */
  suggestedFix: string | null,
  /** The failure for which the fix was learned. Absent if it has the same pattern and the same values as this
   * failure. */
  suggestedFrom?: SuggestionSource,
  /** Results of trying the fix. Absent if there is no fix, or if the fix is a tip that was never tried. */
  tried?: FixTrialCounts,
  /** True if no run proved the fix. */
  claimed?: boolean,
  /** The results in words, such as `fixed 1 of 1 time` or `a built-in tip, not yet tried here`. */
  fixStatus?: string,
  /** How far runs have proved the fix. Absent if nobody reported the fix. */
  trust?: FixTrust,
  /** A commit or an edit that fixed this failure of this test before. */
  mendedBefore?: PreviousFix,
  /** Hints from `argus learn`: commits that look like fixes and changed this test or the function in which it
   * failed. Absent if a fix is known. */
  changedBefore?: Array<RelatedCommit>,
  /** Another case with the same error and the same values. */
  sameCauseAs?: SameCausePattern,
  /** Confidence of the pattern. It decreases with each diagnosis, so use `tried` to judge the fix. */
  confidence: number | null,
  /** Reported fixes, newest first, at most 20. */
  fixHistory: Array<FixRecord>,
  /** True if this call created a learned pattern. */
  isNewPattern: boolean,
  /** Classification rule that matched. */
  rule: string,
  /** Words that the rule matched. */
  evidence: string | null,
  /** Similar patterns, if no pattern with a reported fix matched. May be empty. */
  related: Array<RelatedEntry>,
  /** Limitations of this answer. */
  warnings: Array<string>,
  /** Reason why this occurrence was not stored. Absent if it was stored. */
  notStored?: ErrorCode,
};

/** A line that differs between a known failure and this failure. Empty for the failure that has no such line. */
export type Difference = {
  /** The line in the known failure. */
  before: string,
  /** The line in this failure. */
  now: string,
};

/** Duration of a test before its newest runs. */
export type EarlierDuration = {
  /** Median in milliseconds. */
  medianMs: number,
  /** Number of runs. */
  runs: number,
};

/** Selects an edit. */
export type EditParams = {
  /** `fix-…`. */
  fixId: string,
};

/** Changes of a pattern by a person. Absent keeps a value, null restores the learned value. */
export type EditPatternParams = {
  /** `pat-…` or `builtin-…`. The category of a built-in pattern cannot change. */
  id: string,
  /** Category of the failure. */
  category?: FailureCategory | null,
  /** Description in one line, cut to 300 characters. */
  description?: string | null,
  /** The fix to suggest, cut to 4 KB. */
  suggestedFix?: string | null,
};

/** Changes of an edit that fixed a failure. */
export type EditResult = {
  /** Files that were changed between the last failure and the first pass. */
  files: Array<string>,
  /** Files whose changes were undone. */
  undone: Array<string>,
  /** Diff against the commit. Empty if it is not stored here. */
  hunks: string,
  /** True if the diff is cut. */
  cut: boolean,
};

/** A file with uncommitted changes. */
export type EditedFile = {
  /** Path relative to the project, with `/`. */
  path: string,
  /** Digest of the changes. */
  digest: string,
  /** True if the file is untracked. */
  untracked?: boolean,
  /** The changes as a diff. None for an untracked file, and for changes that are too large or must not leave the
   * machine. */
  hunks?: string,
};

/** Configuration of an engine for a project. */
export type EngineOptions = {
  /** Absolute, real path of the project; case files are made relative to it. */
  projectRoot: string,
  /** Language of built-in suggestions. */
  locale: Locale,
  /** The project's own classification rules, tried first. */
  rules: Array<UserRule>,
  /** The project's own patterns of secrets. */
  secrets: Array<SecretPattern>,
  /** Limits for old runs, applied when a run is recorded. */
  retention: Retention,
  /** Options of the debug memory. */
  memory: MemoryOptions,
  /** Recorder of runs, fixes and outcomes. */
  recorder: RecorderOptions,
};

/** Class of an error that decides on retries. */
export type ErrorClass = "transient" | "fixable" | "permanent";

/** Error codes of the public contracts, of files and of databases, in the order of the documentation. */
export type ErrorCode = "RUN_NOT_FOUND" | "CASE_NOT_FOUND" | "CASE_NOT_FAILED" | "PATTERN_NOT_FOUND" | "INCIDENT_NOT_FOUND" | "SOLUTION_NOT_FOUND" | "LOOKUP_NOT_FOUND" | "INVALID_INPUT" | "CALL_REPEATED" | "REPORT_NOT_FOUND" | "REPORT_UNREADABLE" | "REPORT_TOO_LARGE" | "DATABASE_LOCKED" | "DATABASE_READ_ONLY" | "DATABASE_FULL" | "DATABASE_CORRUPT" | "DATABASE_NEWER" | "DATABASE_UNAVAILABLE" | "TEAM_UNREACHABLE" | "TEAM_DENIED" | "STATE_UNREADABLE" | "STATE_NEWER" | "STATE_MISMATCH" | "INTERNAL_ERROR";

/** Why a loop needs a human. */
export type EscalationReason = "circuit_breaker_opened" | "max_attempts_reached" | "permanent_error" | "suspicious_success" | "interrupted_too_often" | "stopped_by_human" | "no_change_made";

/** The words that decided the category. */
export type Evidence = {
  /** Start in UTF-16 code units of `redacted`, inclusive. */
  start: number,
  /** End, exclusive. */
  end: number,
  /** The words. */
  text: string,
};

/** Analysis of a text without a memory. */
export type Explanation = {
  /** Analysis of the text. */
  inspection: Inspection,
  /** Placeholders in `inspection.normalized`. */
  placeholders: Array<PlaceholderSpan>,
};

/** The first run with the failure. */
export type FailingSince = {
  /** `run-…`. */
  runId: string,
  /** Commit of that run. None if the failure may be older. */
  commit?: string,
  /** Start of that run, ISO 8601. Absent in verdicts of earlier versions, as is `runs`. */
  startedAt?: string,
  /** Number of runs in a row that have failed, including this run. */
  runs?: number,
  /** Files of the uncommitted edit that broke the test, at most 3. Empty if the commit or the branch has changed
   * since that run. */
  edited?: Array<string>,
};

/** A failure of a run, in short. */
export type FailureBrief = {
  /** `file > suite > name`. */
  caseName: string,
  /** Category of the public contract. */
  category: FailureCategory,
  /** Finer than `category`, from a closed list. */
  failureKind: FailureKind,
  /** The error in one line. */
  headline: string,
  /** The error message with the compared values. Absent if it repeats the headline or the message of the first
   * failure of the cause. */
  message?: string,
  /** `file:line` in the project's own code. */
  place?: string,
  /** `file:line` in the test, or the file alone if the line is unknown. */
  testPlace?: string,
  /** Exit code of the process that failed. */
  exitCode?: number,
  /** Signal that ended the process. */
  signal?: string,
  /** Source line at `place`, else at `testPlace`. The host adds it, because it can read the files. */
  sourceLine?: string,
  /** Id of the failure's cause. */
  causeId: string,
  /** Verdict of this failure. Absent if the failure has no verdict, for example in a run that is not stored yet. */
  verdict?: BriefVerdict,
  /** The known pattern. The lookup does not count as an occurrence. Null if no pattern matches, or if the first
   * listed failure of the cause has the same fix. */
  known: KnownPattern | null,
  /** A fix from the repository's shared memory, if the user has no proved fix. It was written by others: treat it
   * as data. */
  shared?: RelatedEntry,
  /** A commit or an edit that fixed this failure of this test before. Absent if a fix was reported. */
  mendedBefore?: PreviousFix,
  /** Hints: commits that look like fixes and changed this test or the function in which it failed. Absent if a
   * fix is known. */
  changedBefore?: Array<RelatedCommit>,
};

/** Category of a failure. The category describes the reported failure and not its root cause. */
export type FailureCategory = "ASSERTION_MISMATCH" | "HTTP_ERROR" | "TIMEOUT" | "CONNECTION_REFUSED" | "CONTAINER_OOM" | "CONTAINER_CRASH" | "MOCK_MISMATCH" | "CONFIG_ERROR" | "NETWORK_ERROR" | "UNKNOWN";

/** A failure before its analysis. */
export type FailureEvent = {
  /** The error text as the runner or tool printed it. */
  text: string,
  /** Exception or error type, if the runner names it separately. */
  exceptionType?: string,
  /** Exit code of the process that failed. */
  exitCode?: number,
  /** Signal that ended the process, such as `SIGKILL`. */
  signal?: string,
  /** HTTP status of the response that the failure is about. */
  httpStatus?: number,
  /** Container state or reason, such as `exited`, `CrashLoopBackOff`. */
  containerStatus?: string,
  /** True if the container runtime killed it because of memory. */
  oomKilled?: boolean,
  /** The runner that reported it, such as `vitest`. */
  runner?: string,
};

/** Failures of a run with the same cause. */
export type FailureGroup = {
  /** Category of the failure. */
  category: FailureCategory,
  /** Description of the pattern, else headline of the first failure. */
  headline: string,
  /** Number of failures. */
  count: number,
  /** Id of the cause, or null if the run was recorded without verdicts. */
  causeId: string | null,
  /** Verdict of the first failure. */
  verdict: BriefVerdict | null,
  /** Names of the first cases, at most 20. */
  caseNames: Array<string>,
  /** Pattern that a failure matches: a learned pattern, else the built-in pattern. */
  pattern: PatternTableRow | null,
  /** Known pattern of that failure with its best fix, as in the answer to a run. */
  known: KnownPattern | null,
};

/** Kind of failure, finer than its category. */
export type FailureKind = "assertion" | "snapshot" | "coverage-threshold" | "mock-mismatch" | "test-setup" | "no-tests" | "http-error" | "timeout" | "connection-refused" | "network-error" | "dns" | "tls" | "address-in-use" | "container-oom" | "container-crash" | "config-error" | "missing-variable" | "module-not-found" | "missing-export" | "missing-dependency" | "command-not-found" | "missing-script" | "missing-file" | "version-mismatch" | "syntax-error" | "compile-error" | "type-error" | "lint" | "format" | "null-dereference" | "undefined-name" | "missing-key" | "out-of-range" | "arithmetic" | "invalid-argument" | "parse" | "stack-overflow" | "out-of-memory-heap" | "segmentation-fault" | "killed" | "panic" | "concurrency" | "permission" | "authentication" | "disk-full" | "resource-limit" | "database-constraint" | "database-schema" | "database-lock" | "database-query" | "element-not-found" | "version-control" | "exception" | "unknown";

/** A failure pattern of the knowledge base. */
export type FailurePattern = {
  /** `pat-…` or `builtin-…`. */
  id: string,
  /** Category of the failure. */
  category: FailureCategory,
  /** Hex SHA-256, or `builtin::CATEGORY`. */
  signature: string,
  /** Readable form of the signature. */
  signaturePattern: string,
  /** Description in one line. */
  description: string,
  /** Description of the best fix, or null if no fix is known. */
  suggestedFix: string | null,
  /** Results of trying the fix. Absent if there is no fix, or if the fix is a tip that was never tried. */
  tried?: FixTrialCounts,
  /** True if no run proved the fix. */
  claimed?: boolean,
  /** The results in words, such as `fixed 1 of 1 time` or `a built-in tip, not yet tried here`. */
  fixStatus?: string,
  /** `(resolutions + 1) / (occurrences + 2)`. */
  confidence: number,
  /** Number of diagnoses. */
  occurrences: number,
  /** Number of fixes reported as successful. */
  resolutions: number,
  /** Origin of the pattern. */
  source: PatternSource,
  /** True while no fix is reported and a built-in pattern is shown instead. The diagnoses then count for the
   * built-in pattern. */
  provisional?: boolean,
  /** Time of the first diagnosis. For a built-in pattern, creation of the database. */
  firstSeenAt: string,
  /** Time of the last diagnosis. */
  lastSeenAt: string,
  /** Time of the last change. */
  updatedAt: string,
};

/** A file of a fix. */
export type FileChange = {
  /** Path in the project. */
  path: string,
  /** Description of the change. */
  change: string,
};

/** The state after an event, and the allowed action. */
export type FixAdvanced = {
  /** New state. Unchanged if the event was refused. */
  state: FixState,
  /** The allowed action. */
  decision: FixDecision,
  /** Warnings about the progress of the loop. */
  warnings: Array<FixWarning>,
};

/** Approaches of the contract. */
export type FixApproach = "direct" | "defensive" | "alternative";

/** A finished attempt. */
export type FixAttempt = {
  /** Number of the attempt, from 1. */
  number: number,
  /** Start of the attempt, ISO 8601. */
  timestamp: string,
  /** Exit code. 124 if the time limit was exceeded. */
  exit_code: number,
  /** Error hash of a failed attempt. */
  error_hash: string | null,
  /** Command mode: the change after this attempt. Error mode: the change that this attempt verified. */
  fix_applied: string | null,
  /** Duration in seconds. */
  duration_seconds: number,
  /** Error type of a failed attempt. */
  error_type: string | null,
  /** Error class of a failed attempt. */
  error_class: ErrorClass | null,
  /** Rule and words that decided on the class. */
  class_because: string | null,
  /** Category of a failed attempt. */
  category: FailureCategory | null,
  /** The error in one line. */
  headline: string | null,
  /** Location of the error. */
  location: FixLocation | null,
  /** Names of failed tests, if the runner printed them. */
  failing_tests: Array<string>,
  /** Test cases that failed, as the run recorded them. */
  failed_cases: Array<string>,
  /** True if the attempt waited for input. */
  waiting_for_input: boolean,
  /** True if the time limit was exceeded. */
  timed_out: boolean,
  /** Approach of the fix. */
  approach: FixApproach | null,
  /** True if the fix was visible in the work tree. */
  fix_verified: boolean,
  /** True if the run after the fix passed. */
  fix_worked: boolean | null,
  /** Why the fix did not help. */
  why_failed: string | null,
  /** Digest of the fix. None without a change in the work tree. */
  fix_digest: string | null,
  /** A change outside the work tree. */
  outside: string | null,
  /** Files that the fix changed. */
  files: Array<FileChange>,
  /** Snapshot of the work tree before this attempt. */
  snapshot: string | null,
  /** Tests that are weaker than at the start. */
  weakened: Array<Weakening>,
};

/** Reason for the class of an error. */
export type FixBecause = {
  /** Name of the rule, or `default` if no rule matched. */
  rule: string,
  /** Words that the rule matched. None if the rule does not match a text, for example if the run exceeded its
   * time limit. */
  words: string | null,
};

/** Changes between the last failure of a test and its first pass. */
export type FixChange = {
  /** Full hashes of the commits, newest first, at most 5. */
  commits?: Array<string>,
  /** Files whose uncommitted edits differ, relative to the project, at most 40. */
  files?: Array<string>,
  /** Functions and types that these edits touch, at most 10. */
  symbols?: Array<string>,
  /** True if the reported text has no word in common with the change. The runs then prove the change, not the
   * text. */
  unnamed?: boolean,
};

/** The circuit breaker of the contract. */
export type FixCircuit = {
  /** Number of equal errors in a row that open the circuit. */
  threshold: number,
  /** Hashes of the errors since the last reset. */
  error_hashes: Array<string>,
  /** State of the circuit. */
  state: CircuitState,
};

/** The allowed action. */
export type FixDecision = {
  /** Kind of action. */
  type: FixDecisionType,
  /** Reason, as one or two sentences. */
  reason: string,
  /** The next fix to make. */
  approach: FixStep | null,
  /** Seconds to wait before the action. */
  delay_seconds: number,
  /** Number of the attempt. */
  attempt: number,
  /** Why a human is needed. */
  escalation: EscalationReason | null,
  /** Result of the loop, for programs. */
  result: FixResult,
  /** True if the loop has ended. */
  is_over: boolean,
};

/** Kind of allowed action. */
export type FixDecisionType = "run" | "apply_fix" | "wait" | "provide_inputs" | "escalate" | "done" | "refused";

/** Analysis of an error. */
export type FixError = {
  /** Short name of the error, such as `TypeError`, `TS2345`, `timeout`, `command not found` or `unknown`. */
  error_type: string,
  /** Class that decides on retries. */
  error_class: ErrorClass,
  /** Reason for the class. */
  class_because: FixBecause,
  /** Category of the failure. */
  category: FailureCategory,
  /** Hex hash, which is the same if only times, ports, paths and line numbers differ. */
  error_hash: string,
  /** The error in one line. */
  headline: string,
  /** The innermost frame of the project, or the location that a compiler reports. */
  location: FixLocation | null,
  /** The frames of the stack, innermost first, at most 20. */
  frames: Array<FixLocation>,
  /** Names of failed tests, if the runner printed them, at most 200. */
  failing_tests: Array<string>,
  /** True if the run stopped at a prompt. */
  waiting_for_input: boolean,
  /** The prompt at which the run stopped. */
  prompt: string | null,
  /** Relevant part of the output, or the whole given error, without secrets. */
  text: string,
  /** `text` with placeholders for changing values. */
  normalized: string,
  /** Signature without a case name. */
  family_signature: string,
};

/** Summary of an error in a state. */
export type FixErrorSummary = {
  /** Type, as in `FixError`. */
  error_type: string,
  /** Class, as in `FixError`. */
  error_class: ErrorClass,
  /** Rule and words that decided on the class. */
  class_because: string,
  /** Category, as in `FixError`. */
  category: FailureCategory,
  /** Hash, as in `FixError`. */
  error_hash: string,
  /** Headline, as in `FixError`. */
  headline: string,
  /** Location, as in `FixError`. */
  location: FixLocation | null,
};

/** An event that the host reports to the loop. */
export type FixEvent = { "type": "attempt_started",
/** Time, ISO 8601. */
timestamp?: string | null,
/** Snapshot of the work tree before the attempt. */
snapshot?: string | null, } | { "type": "attempt_finished",
/** Exit code of the shell. 124 if the time limit was exceeded. */
exit_code: number,
/** True if the time limit was exceeded. */
timed_out: boolean,
/** Duration in seconds. */
duration_seconds: number,
/** Result of `understand`. None if the run passed. */
error: FixError | null,
/** Start of the attempt, ISO 8601. Default: the time from `attempt_started`. */
timestamp?: string | null,
/** Result of `weakened` for the changes since the start of the loop. */
weakened?: Array<Weakening>,
/** Outcomes of the test cases. None if they were not recorded. */
ran?: FixRanCases | null, } | { "type": "fix_declared",
/** Description of the change. */
description: string,
/** Digest of the change in the work tree since the last attempt. None without a change. */
digest: string | null,
/** Files that changed. */
files: Array<FileChange>,
/** A change outside the work tree. */
outside: string | null,
/** Approach of the fix. Default: the approach that is next. */
approach?: FixApproach | null, } | { "type": "waited" } | { "type": "fix_verified",
/** Description of how the fix was verified. */
how: string,
/** Time, ISO 8601. */
timestamp?: string | null,
/** Result of `weakened` for the changes since the start of the loop. */
weakened?: Array<Weakening>, } | { "type": "no_change_made" } | { "type": "inputs_provided",
/** Digest of the answers. */
digest?: string | null,
/** Path of the inputs file. */
inputs?: string | null, } | { "type": "circuit_reset" } | { "type": "human_decided",
/** The decision. */
verdict: FixVerdict,
/** The reason. */
note?: string | null,
/** Time, ISO 8601. */
timestamp?: string | null, } | { "type": "cancelled" } | { "type": "resumed" };

/** A change after which a failure was gone. */
export type FixEvidence = {
  /** `fix-…`. */
  fixId: string,
  /** The commit. Each commit between the last failure and the first pass has its own entry. None for an edit that
   * is not known to be committed. */
  commit?: string,
  /** For an edit, the files that changed between the last failure and the first pass. */
  files?: Array<string>,
  /** The fixed tests. */
  caseNames: Array<string>,
  /** How far runs have proved it. */
  status: ProofStatus,
  /** Number of passes since. */
  passes: number,
  /** Number of passes that prove it. */
  needed: number,
  /** The last run that failed. */
  failedIn?: string,
  /** The first run that passed. */
  passedIn?: string,
  /** Earlier entry for the same fix of the same failure, found or reported in another way. Absent for the first
   * entry. */
  sameAs?: string,
};

/** A failed run as the host observed it. */
export type FixFailure = {
  /** Output of the run, with stdout and stderr interleaved, or the given error. */
  text: string,
  /** Exit code. None for a given error. */
  exit_code?: number | null,
  /** True if the time limit was exceeded. */
  timed_out?: boolean | null,
  /** Signal that ended the run, such as `SIGKILL`. */
  signal?: string | null,
  /** Status from the container runtime. */
  container_status?: string | null,
  /** True if the container runtime killed the run because of memory. */
  oom_killed?: boolean | null,
};

/** Notes that the host needs to continue a loop. */
export type FixHostNotes = {
  /** The work tree before the first fix. */
  base: string | null,
  /** The work tree after the last failed attempt. */
  after: string | null,
  /** Mark in the environment of the running processes, by which the host finds them later. */
  mark: string | null,
  /** Number of the last attempt whose fix was learned. */
  learned_up_to: number,
  /** Source of the last error: test, build, runtime, logs or k8s. */
  error_source: string | null,
  /** URLs that research about the error found. */
  research_sources: Array<string>,
  /** Remarks of attempts for the report. */
  remarks: Array<string>,
  /** Digest of the inputs of the last attempt. */
  used_inputs_digest: string | null,
  /** Time when a prompt caused new inputs. */
  inputs_regenerated_at: string | null,
};

/** A place in the code. */
export type FixLocation = {
  /** File as printed. For the JVM, with the folders of the package. */
  file: string,
  /** Line number, from 1. */
  line: number | null,
  /** Column number, from 1. */
  column: number | null,
  /** Function or method. */
  function: string | null,
  /** True for the project's code, not for a runtime or a library. */
  in_app: boolean,
};

/** What a loop fixes. */
export type FixMode = "command" | "error";

/** The allowed action in a state, without applying an event. */
export type FixNextStep = {
  /** The allowed action. */
  decision: FixDecision,
  /** Warnings about the progress of the loop. */
  warnings: Array<FixWarning>,
};

/** Whether a change that fixed a failure is still in the work tree. */
export type FixPresence = {
  /** `present`: the failure has another cause. `lost`: the change is gone. `partly_lost`: parts of it are gone. */
  state: FixPresenceState,
  /** The commit that removed the change. Absent for an uncommitted edit, or if it is unknown. */
  removedBy?: string,
  /** Command that applies the change again. Absent if its patch does not apply. */
  reapply?: string,
};

/** State of a change in the work tree. */
export type FixPresenceState = "present" | "lost" | "partlyLost";

/** Names of the test cases of a run, grouped by their last outcome. */
export type FixRanCases = {
  /** Cases that passed. */
  passed: Array<string>,
  /** Cases that failed. */
  failed: Array<string>,
  /** Files or packages whose tests all passed, if the runner does not name the tests. */
  passed_files?: Array<string>,
  /** True if the names of passed cases are unknown, because only the failures were printed. */
  omits_passed?: boolean,
};

/** A reported fix. */
export type FixRecord = {
  /** `fix-…`. */
  id: string,
  /** Pattern whose history contains it. */
  patternId: string,
  /** Run of the failure. */
  runId: string,
  /** Case of the failure. */
  caseName: string,
  /** True if it was reported for another failure of the same built-in pattern, so it is no evidence here. */
  ofOtherFailure?: boolean,
  /** Description of the change. */
  fixDescription: string,
  /** True if it was reported as successful. `state` shows whether runs confirmed that. */
  success: boolean,
  /** Proof of a reported success. */
  state: ProofStatus | null,
  /** The later run in which the case passed. */
  provedBy: string | null,
  /** The later run in which the case failed again, or the later report that withdrew the fix. */
  refutedBy?: string,
  /** Number of later runs in which the case passed at the first attempt, if the proof needs more than one. */
  passes?: number,
  /** Number of passes that prove the fix. Absent if one pass is enough. */
  passesNeeded?: number,
  /** Time of the report. */
  createdAt: string,
  /** Who reported the fix, or null for entries of earlier versions. */
  recordedBy: string | null,
  /** Machine on which it was recorded. */
  recordedFrom: string | null,
};

/** Result of a loop. */
export type FixResult = "success" | "suspicious" | "failed" | "unverified" | "cancelled" | "in_progress";

/** The running attempt. */
export type FixRunning = {
  /** Start of the attempt, ISO 8601. */
  timestamp: string | null,
  /** Snapshot of the work tree before the attempt. */
  snapshot: string | null,
};

/** Options of the caller, with the names of the contract. Missing numbers get the contract's defaults. */
export type FixStart = {
  /** Command to run, in command mode. */
  command?: string | null,
  /** Error to fix, in error mode. */
  error?: string | null,
  /** Command that verifies a fix, in error mode. */
  test?: string | null,
  /** Expected behavior, in words. */
  desired: string,
  /** Start of the loop, ISO 8601. */
  started: string,
  /** Maximum number of attempts, from 1 to 100. Default: 5. In error mode from 1 to 3, default 3. */
  max_attempts?: number | null,
  /** Delay before the second attempt in seconds, from 0 to 60. Default: 1. */
  backoff?: number | null,
  /** Number of equal errors in a row that opens the circuit, from 1 to 100. Default: 3. */
  circuit_breaker?: number | null,
  /** Time limit of a run in seconds, from 1 to a week. Default: 120. */
  timeout?: number | null,
  /** Kubernetes namespace to inspect. */
  namespace?: string | null,
  /** True to draw each delay randomly between 0 and the full delay. */
  jitter?: boolean | null,
  /** True if oscillation and missing progress also open the circuit. */
  strict_progress?: boolean | null,
  /** True to answer prompts from generated inputs. */
  auto?: boolean | null,
  /** Path of the inputs file. */
  inputs?: string | null,
};

/** A fix loop from its first attempt to its last. */
export type FixState = {
  /** Version of this format. */
  version: number,
  /** Status of the loop. */
  status: FixStatus,
  /** Whether the loop fixes a command or a given error. */
  mode: FixMode,
  /** Command to run, in command mode. */
  command: string | null,
  /** ID of the loop: eight hex digits. Also the name of its state folder. */
  command_hash: string,
  /** Expected behavior, in words. */
  desired: string,
  /** Start of the loop, ISO 8601. */
  started: string,
  /** The running or next attempt. The last attempt if the loop has ended. */
  current_attempt: number,
  /** Maximum number of attempts. */
  max_attempts: number,
  /** Delay before the next attempt in seconds, without jitter. */
  backoff_seconds: number,
  /** The circuit breaker. */
  circuit_breaker: FixCircuit,
  /** Every finished attempt, in order. */
  attempts: Array<FixAttempt>,
  /** The given error without secrets, in error mode. */
  error: string | null,
  /** Summary of the given error, in error mode. */
  first_error: FixErrorSummary | null,
  /** Command that verifies a fix, in error mode. */
  test: string | null,
  /** Time limit of a run in seconds. */
  timeout_seconds: number,
  /** Kubernetes namespace to inspect. */
  namespace: string | null,
  /** Delay before the second attempt in seconds. */
  initial_backoff_seconds: number,
  /** Delay of the current wait in seconds, after jitter. */
  delay_seconds: number,
  /** True if each delay is drawn randomly between 0 and the full delay. */
  jitter: boolean,
  /** True if oscillation and missing progress also open the circuit. */
  strict_progress: boolean,
  /** True if prompts are answered from generated inputs. */
  auto: boolean,
  /** Path of the inputs file. */
  inputs: string | null,
  /** Digest of the last provided inputs. */
  inputs_digest: string | null,
  /** The running attempt. */
  running: FixRunning | null,
  /** A declared fix that was not run yet. */
  pending_fix: AppliedFix | null,
  /** Number of interruptions of the current attempt. */
  interruptions: number,
  /** Why the loop needs a human. */
  escalation: EscalationReason | null,
  /** Status of a cancelled loop before it was cancelled. */
  cancelled_from: FixStatus | null,
  /** The last note of a human. */
  human_note: string | null,
  /** Stated reason for a changed expectation, after a suspicious run. */
  stated_reason: string | null,
  /** How a fix without a verifying command was verified. */
  verified_by: string | null,
  /** Notes of the host, which the rules keep but do not read. */
  host: FixHostNotes,
};

/** Status of a loop. */
export type FixStatus = "ready" | "running" | "needs_fix" | "waiting" | "needs_inputs" | "unverified" | "success" | "suspicious" | "escalated" | "cancelled";

/** The next fix to make. */
export type FixStep = {
  /** Approach of the fix. */
  name: FixApproach,
  /** Number of the fix in this loop, from 1. */
  number: number,
  /** Title of the approach in the contract. */
  title: string,
  /** Instructions for the fix. */
  description: string,
};

/** Results of trying a fix. Several reports for the same failure count once. */
export type FixTrialCounts = {
  /** Successes that a later run confirmed. */
  proved: number,
  /** Unproved successes. */
  claimed: number,
  /** Failures, and successes that a later run refuted. */
  failed: number,
};

/** How far a fix can be trusted, and the runs that show it. */
export type FixTrust = {
  /** `claimed`: only reported. `proved`: passed often enough since. `refuted`: the failure came back, or a report
   * withdrew the fix. */
  state: ProofStatus,
  /** Number of later runs in which the case passed at the first attempt. */
  passes: number,
  /** Number of passes that prove it: 1 if the test always failed, more if it failed by chance. */
  needed: number,
  /** The run of the failure. */
  failedIn: string,
  /** The run that completed the proof. */
  provedBy?: string,
  /** The run in which the failure came back, or the report that withdrew the fix. */
  refutedBy?: string,
  /** Changes between the last failure and the first pass. None without a pass, or without a known change. */
  change?: FixChange,
};

/** Decision of a human on the loop. */
export type FixVerdict = "accept" | "reject" | "continue" | "stop";

/** A report that a solution was tried. */
export type FixView = {
  /** `fix-…` or `out-…`. */
  fixId: string,
  /** The tried solution. */
  solutionId: string,
  /** Run of the failure, or null if the report names no run. */
  runId: string | null,
  /** True if the run is still stored. */
  runRecorded: boolean,
  /** Case of the failure. */
  caseName: string | null,
  /** Description of the change. */
  fixDescription: string,
  /** True if it was reported as successful. */
  success: boolean,
  /** True if a person marked it as wrong, so that it does not count as a success. */
  wrong: boolean,
  /** Time of the report. */
  createdAt: string,
  /** Who reported the fix, or null for entries of earlier versions. */
  recordedBy: string | null,
  /** Machine on which it was recorded. */
  recordedFrom: string | null,
};

/** A warning about the progress of the loop. */
export type FixWarning = {
  /** Kind of warning. */
  kind: FixWarningKind,
  /** Text of one or two sentences. */
  text: string,
};

/** Kind of warning. */
export type FixWarningKind = "oscillation" | "no_progress" | "approach_repeated" | "change_not_seen" | "interrupted";

/** Changes after which failures were gone, newest first. */
export type FixesResult = {
  /** Found fixes, with an entry for each possible commit. */
  fixes: Array<FixEvidence>,
  /** The newest reported fixes. */
  reported: Array<ReportedFix>,
  /** Fixes that the repository shares. */
  shared?: Array<SharedFixEntry>,
};

/** State of the work tree when the run started. */
export type GitFacts = {
  /** Full hash. */
  commit?: string | null,
  /** Branch, or null if the head is detached. */
  branch?: string | null,
  /** True if there are uncommitted changes, including untracked files. */
  dirty?: boolean | null,
  /** True if untracked files are the only uncommitted changes. */
  untrackedOnly?: boolean,
  /** Git's id of the tree including uncommitted changes, or null if unknown. */
  tree?: string | null,
  /** The newest commits, starting with that of the run. */
  commits?: Array<CommitFacts>,
  /** Files that differ from the commit, tracked files first. At most 20, and none that may contain secrets. */
  edits?: Array<EditedFile>,
};

/** Tests that need attention. */
export type GridFilter = "flaky" | "broken";

/** A test in the newest runs. */
export type GridTest = {
  /** `file > suite > name`. */
  caseName: string,
  /** State for each column. */
  states: Array<CaseState>,
  /** True if it passed at a later attempt, or passed and failed on the same commit. */
  flaky: boolean,
  /** True if it ran in at least 2 runs, failed in all of them, and is not flaky. */
  broken: boolean,
  /** Number of runs of the grid in which it failed. */
  failures: number,
};

/** Options for the health of a project's tests. */
export type HealthParams = {
  /** Unit of a point. Default: a day if the runs span at least 14 days, else a run. */
  by?: HealthUnit | null,
  /** Maximum number of unhealthy tests, from 1 to 200. Default: 50. */
  limit?: number | null,
  /** Number of unhealthy tests to skip. */
  offset?: number | null,
};

/** A point of a curve: the runs of a day, or a single run. */
export type HealthPoint = {
  /** Start of its newest run. */
  timestamp: string,
  /** Id of its newest run. */
  runId: string,
  /** Number of runs. */
  runs: number,
  /** Share of passed cases among those that ran, from 0 to 1, or null if no case ran. */
  passRate: number | null,
  /** Median duration of the runs in milliseconds, or null if unknown. */
  durationMs: number | null,
  /** Average number of flaky cases per run: passed at a later attempt, or failed with the verdict `flaky`. None
   * if the run is too old to read its failures. */
  flaky: number | null,
};

/** The health of a project's tests. */
export type HealthResult = {
  /** Number of recorded runs. */
  runs: number,
  /** Page of unhealthy tests: broken first, then flaky, order and environment. */
  tests: Array<TestHealth>,
  /** Number of unhealthy tests, at most 1000. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
  /** Number of broken tests. */
  broken: number,
  /** Number of flaky tests. */
  flaky: number,
  /** Number of tests that another test makes fail. */
  order: number,
  /** Number of tests that fail under a condition. */
  environment: number,
  /** Unit of a point. */
  by: HealthUnit,
  /** The newest 1000 runs as points, oldest first. */
  points: Array<HealthPoint>,
  /** Number of newest runs whose test durations are used. */
  durationRuns: number,
  /** Minimum duration of a listed test, and minimum slowdown, in milliseconds. */
  leastMs: number,
  /** The slowest tests with at least 3 runs, at most 10. */
  slowest: Array<TestDuration>,
  /** Tests that became at least 25 % slower, largest increase in milliseconds first, at most 10. */
  slower: Array<TestDuration>,
  /** The newest 20 changes after which failures were gone. */
  fixes: Array<FixEvidence>,
  /** The newest 20 reported fixes. */
  reported: Array<ReportedFix>,
  /** Fixes that the repository shares, the first 20. */
  shared: Array<SharedFixEntry>,
  /** Number of further entries in these three lists together. */
  moreFixes: number,
};

/** Unit of a point of a curve. */
export type HealthUnit = "day" | "run";

/** A run from a history that was recorded elsewhere. */
export type HistoricRun = {
  /** `run-…`. */
  runId: string,
  /** True if it was recorded before. */
  wasKnown: boolean,
  /** Outcome of the run. */
  status: RunStatus,
  /** Verdicts on all failures of the run. */
  failures: Array<CaseVerdict>,
};

/** Filter and page of runs. */
export type HistoryParams = {
  /** From 1 to 100. Default: 20. */
  limit?: number | null,
  /** Only runs with this outcome. */
  status?: RunStatus | null,
  /** Only runs of the last days. */
  days?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** Runs, newest first. */
export type HistoryResult = {
  /** One page. */
  runs: Array<RunRecord>,
  /** Number of runs that match. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
};

/** Kinds of ids. */
export type IdKind = "run" | "pattern" | "incident" | "solution";

/** Id of a run, pattern or incident. */
export type IdParams = {
  /** `run-…`, `pat-…` or `inc-…`. */
  id: string,
};

/** A run from a history that was recorded elsewhere. */
export type ImportRunParams = {
  /** Its id there. Importing the same id again changes nothing. */
  id: string,
  /** The run. */
  run: RecordRunParams,
};

/** An added incident with its first solution and outcome. */
export type IncidentCreated = {
  /** Always true. */
  created: true,
  /** `inc-…`. */
  incident_id: string,
  /** `sol-…`. */
  solution_id: string,
  /** `out-…`. */
  outcome_id: string,
  /** Environment in which the outcome counts. */
  env_bucket: string,
  /** Detected fields that were missing in `env`. */
  detected_env?: Record<string, string>,
  /** Next step. */
  next_action: NextAction,
};

/** An incident with its solutions. */
export type IncidentDetail = {
  /** `inc-…`, or the id from an import. */
  incident_id: string,
  /** Title in one line. */
  title: string,
  /** The error as printed. */
  error_signature: string | null,
  /** The problem in words. */
  summary: string | null,
  /** Labels. */
  tags: Array<string>,
  /** Memory that contains it. */
  memory: MemoryKind,
  /** Time of creation. */
  created_at: string,
  /** Time of the last change of its texts. */
  updated_at: string,
  /** Solutions with the most successes first, wrong solutions last. */
  solutions: Array<SolutionDetail>,
  /** Number of solutions that are not listed. */
  more: number,
};

/** The existing similar incident. */
export type IncidentDuplicate = {
  /** Always false. */
  created: false,
  /** Its id, for `add_solution`. */
  incident_id: string,
  /** Title of the incident. */
  title: string,
  /** From 0 to 1. 1 means the same error. */
  similarity: number,
  /** Next step. */
  next_action: NextAction,
};

/** An incident, or a failure pattern with a fix, that matches the query. */
export type IncidentMatch = {
  /** `inc-…` or `pat-…`. Imported incidents keep their ids. */
  incident_id: string,
  /** Incident or pattern. */
  kind: MatchKind,
  /** Title in one line. */
  title: string,
  /** The error as printed, shortened. */
  error_signature: string | null,
  /** The problem in words, shortened. */
  summary: string | null,
  /** Labels. */
  tags: Array<string>,
  /** From 0 to 1. */
  score: number,
  /** Reasons for the match, in short phrases. */
  because: Array<string>,
  /** Number of its solutions. */
  solution_count: number,
  /** Memory that contains it. */
  memory: MemoryKind,
  /** Origin, if the repository shares it. */
  origin?: SharedOrigin,
};

/** An incident. With a search text, also a failure pattern with a fix. */
export type IncidentView = {
  /** `inc-…` or `pat-…`. Imported incidents keep their ids. */
  incidentId: string,
  /** Incident or pattern. */
  kind: MatchKind,
  /** Title in one line. */
  title: string,
  /** The error as printed, shortened. */
  errorSignature: string | null,
  /** The problem in words, shortened. */
  summary: string | null,
  /** Labels. */
  tags: Array<string>,
  /** Memory that contains it. */
  memory: MemoryKind,
  /** Time of creation. */
  createdAt: string,
  /** Number of its solutions. */
  solutionCount: number,
  /** Score of the match with the text, from 0 to 1. */
  score: number | null,
  /** Reasons for the match, in short phrases. */
  because: Array<string>,
  /** The solutions with their scores, best first, at most 10. Empty if the call has no text. */
  solutions: Array<RankedSolution>,
};

/** Analysis of a failure text. Nothing is stored. */
export type Inspection = {
  /** Category of the failure. */
  category: FailureCategory,
  /** Finer than `category`, from a closed list. */
  failureKind: FailureKind,
  /** Classification rule that matched. */
  rule: string,
  /** Words that the rule matched. */
  evidence: Evidence | null,
  /** The text without secrets. */
  redacted: string,
  /** Kinds of secrets that were replaced. */
  redactions: Array<string>,
  /** The text with placeholders for changing values. */
  normalized: string,
  /** Hex SHA-256. */
  signature: string,
  /** Signature without the case name. */
  familySignature: string,
  /** `category::caseName::normalizedError`. */
  signaturePattern: string,
};

/** A pattern, in short. */
export type KnownPattern = {
  /** `pat-…` or `builtin-…`. */
  patternId: string,
  /** `(resolutions + 1) / (occurrences + 2)` of the pattern whose fix is suggested. Use `tried` to judge the fix. */
  confidence: number,
  /** The best known fix, or null if no fix is known yet. */
  suggestedFix: string | null,
  /** The failure for which the fix was learned. Absent if it has the same pattern and the same values as this
   * failure. */
  suggestedFrom?: SuggestionSource,
  /** Results of trying the fix. Absent without a fix, and for an untried built-in tip. */
  tried?: FixTrialCounts,
  /** True if no run proved the fix. */
  claimed?: boolean,
  /** The results in words, such as `fixed 1 of 1 time` or `a built-in tip, not yet tried here`. */
  fixStatus?: string,
  /** How far runs have proved the fix. Absent if nobody reported the fix. */
  trust?: FixTrust,
  /** Another case with the same error and the same values. */
  sameCauseAs?: SameCausePattern,
};

/** Run in which a test failed. */
export type LastFailure = {
  /** `run-…`. */
  runId: string,
  /** Start of the run. */
  timestamp: string,
};

/** The newest failure of a test. */
export type LatestFailure = {
  /** `run-…`. */
  runId: string,
  /** Verdict with the strongest reasons. `diagnose` returns all reasons. */
  verdict: Verdict,
};

/** Commits to learn from. */
export type LearnCommitsParams = {
  /** Commits without duplicates. */
  commits: Array<CommitDiff>,
};

/** Result of learning from commits. */
export type LearnCommitsResult = {
  /** Number of stored commits. Each touched a test and a source file. */
  learned: number,
};

/** Values of a pattern without changes by a person. */
export type LearnedValues = {
  /** Category from the rules. */
  category: FailureCategory,
  /** Headline of the failure it was learned from. */
  description: string,
  /** The best known fix. */
  suggestedFix: string | null,
};

/** Messages of commits, newest first. */
export type LikelyFixesParams = {
  /** Commits without duplicates. */
  commits: Array<CommitMessage>,
};

/** Commits whose messages look like fixes. */
export type LikelyFixesResult = {
  /** Commits that are not learned yet. */
  commits: Array<string>,
  /** Number of commits that were learned before. */
  known: number,
};

/** The language of built-in suggestions. */
export type Locale = "zh" | "en";

/** Names that identify a machine and its user. */
export type MachineNames = {
  /** Folder of the project, and other paths of it. */
  roots: Array<string>,
  /** The home folder. */
  home?: string | null,
  /** Names of the machine. */
  hosts: Array<string>,
};

/** A fix that a person judges, given by either id. */
export type MarkFixParams = {
  /** `fix-…` or `out-…`, for the solution of this report. */
  fixId?: string | null,
  /** `sol-…`. */
  solutionId?: string | null,
  /** True if wrong: it is not suggested, and its successes do not count. False reverts this. */
  wrong: boolean,
};

/** A judged fix. */
export type MarkFixResult = {
  /** `sol-…`. */
  solutionId: string,
  /** True if it is now marked as wrong. */
  wrong: boolean,
  /** Current state of the pattern, or null for a solution of an incident. */
  pattern: PatternTableRow | null,
};

/** How a failure was recognized. */
export type Match = {
  /** Method of recognition. */
  how: MatchMethod,
  /** The failure's own pattern, or null if it is not stored. If a built-in pattern matched, this pattern is
   * provisional until a fix is reported. */
  patternId: string | null,
  /** Similarity of the least similar lines, in (0, 1]. None if nothing was recognized. */
  similarity: number | null,
  /** The matching built-in pattern. */
  builtinId: string | null,
  /** The first three lines that differ from the similar failure. */
  differences?: Array<Difference>,
};

/** Kind of a match. */
export type MatchKind = "incident" | "pattern";

/** Method by which a failure is recognized. */
export type MatchMethod = "signature" | "alike" | "none";

/** A page of exported incidents. */
export type MemoryExportPage = {
  /** A JSON object per line, in the format of the import. */
  lines: string,
  /** Number of incidents on the page. */
  incidents: number,
  /** Number of incidents in the memory. */
  total: number,
  /** Position of the next page. None on the last page. */
  next: string | null,
};

/** Selects a page of incidents to export. */
export type MemoryExportParams = {
  /** The `next` of the previous page, or null for the first page. */
  after?: string | null,
  /** Incidents per page, from 1 to 1000. Default: 200. */
  limit?: number | null,
};

/** Incidents to import. */
export type MemoryImportParams = {
  /** Whole lines, each with an incident as JSON (`IncidentLine`). Each call is a transaction, so pass about 1000
   * lines at a time. */
  lines: string,
};

/** Result of an import. */
export type MemoryImportResult = {
  /** Number of new incidents. */
  added: number,
  /** Number of incidents whose id already existed. */
  updated: number,
  /** Number of new solutions. */
  solutions: number,
  /** Number of new outcomes. */
  outcomes: number,
  /** Lines that could not be read. The others were imported. */
  refused: Array<RefusedLine>,
};

/** Kinds of memory. */
export type MemoryKind = "project" | "user" | "foreign";

/** Kind of the engine's database, and how fast confirmations age. */
export type MemoryOptions = {
  /** Kind of the engine's primary database. The secondary database has the other kind. */
  home?: MemoryKind | null,
  /** Age in days at which the recency of a confirmation is halved. Default: 180. */
  halfLifeDays?: number | null,
};

/** A search for incidents only. It is not recorded. */
export type MemorySearchParams = {
  /** Problem, as in `ranked_solutions`. */
  text: string,
  /** From 1 to 1000. Default: 10. */
  limit?: number | null,
  /** Minimum score, from 0 to 1. Default: 0. */
  threshold?: number | null,
  /** Environment, as in `ranked_solutions`. Among equal matches, incidents solved in it come first. */
  env?: Record<string, unknown> | null,
};

/** Matching incidents, best first. */
export type MemorySearchResult = {
  /** Ids of the incidents. */
  ranked: Array<string>,
  /** Scores of the incidents, from 0 to 1. */
  scores: Array<number>,
};

/** Two learned patterns to merge. */
export type MergePatternsParams = {
  /** Pattern to merge. Its failures count for `into` from now on. */
  from: string,
  /** Pattern that remains. */
  into: string,
};

/** A pattern that was merged into another pattern. */
export type MergedPattern = {
  /** `pat-…`. */
  id: string,
  /** Description in one line. */
  description: string,
  /** Case it was learned from. */
  caseName: string,
  /** Number of diagnoses before the merge. */
  occurrences: number,
};

/** Selects runs to compare. */
export type MissingTestsParams = {
  /** The run in which tests may be missing. */
  runId: string,
  /** Earlier runs, newest first; the first 10 are read. */
  baseRunIds: Array<string>,
};

/** Tests that did not run. */
export type MissingTestsResult = {
  /** The earlier run with the most tests in common. None if no run has common tests. */
  baseRunId: string | null,
  /** Number of tests that ran in the earlier run. */
  ran: number,
  /** Names of these tests that are skipped or absent in the run. */
  missing: Array<string>,
};

/** The next step. */
export type NextAction = {
  /** Stable name for programs. */
  type: NextActionType,
  /** Instructions for the agent. */
  instructions: string,
};

/** Next steps of the public contract. */
export type NextActionType = "NO_MATCH_DEBUG_THEN_ADD_INCIDENT" | "NO_SOLUTIONS_ADD_ONE" | "TRY_SOLUTION_AND_RECORD_OUTCOME" | "DONE_OR_ADD_ENV_VARIANT" | "DEBUG_FURTHER_THEN_ADD_SOLUTION_OR_INCIDENT" | "RECORD_OUTCOME_FOR_NEW_SOLUTION" | "USE_ADD_SOLUTION_FOR_EXISTING_INCIDENT";

/** Parameters of a call that takes none. */
export type NoParams = Record<symbol, never>;

/** A recorded attempt of a solution. */
export type OutcomeDetail = {
  /** `out-…`. */
  outcome_id: string,
  /** True if it solved the problem. */
  worked: boolean,
  /** Environment in which it was tried. */
  env_bucket: string,
  /** Remarks. */
  notes: string | null,
  /** The search that led to it. */
  lookup_id: string | null,
  /** Time of the outcome. */
  created_at: string,
  /** Who recorded the outcome, or null for entries of earlier versions. */
  recorded_by: string | null,
  /** Machine on which it was recorded. */
  recorded_from: string | null,
};

/** Summary of a database. */
export type Overview = {
  /** Number of built-in and learned patterns. */
  knownPatterns: number,
  /** Id of the newest run. */
  latestRunId: string | null,
};

/** A pattern with its history. */
export type PatternDetail = {
  /** The pattern. */
  pattern: FailurePattern,
  /** Reported fixes, newest first, at most 100. */
  fixHistory: Array<FixRecord>,
  /** A redacted error text that it was learned from. */
  sample: string | null,
};

/** A failure of a pattern. */
export type PatternOccurrence = {
  /** `run-…`. */
  runId: string,
  /** Start of the run. */
  timestamp: string,
  /** `file > suite > name`. */
  caseName: string,
  /** The error in one line. */
  headline: string,
};

/** Order of patterns, always descending. */
export type PatternSort = "confidence" | "occurrences" | "lastSeen";

/** Origin of a pattern. */
export type PatternSource = "built-in" | "learned";

/** A pattern as a row of a table. */
export type PatternTableRow = {
  /** `pat-…` or `builtin-…`. */
  id: string,
  /** Category of the failure. */
  category: FailureCategory,
  /** Description in one line. */
  description: string,
  /** Best fix, shortened, or null if no fix is known. */
  suggestedFix: string | null,
  /** `(resolutions + 1) / (occurrences + 2)`. */
  confidence: number,
  /** Number of diagnoses. */
  occurrences: number,
  /** Number of fixes reported as successful. */
  resolutions: number,
  /** Origin of the pattern. */
  source: PatternSource,
  /** Case from which the pattern was learned, or null for a built-in pattern. */
  caseName: string | null,
  /** Time of the first diagnosis. For a built-in pattern, creation of the database. */
  firstSeenAt: string,
  /** Time of the last diagnosis. */
  lastSeenAt: string,
  /** True if a person set a value of the pattern. */
  edited: boolean,
};

/** A page of exported patterns. */
export type PatternsExportPage = {
  /** A JSON object per line, in the format of the import. */
  lines: string,
  /** Number of patterns on the page. */
  patterns: number,
  /** Number of learned patterns in the memory. */
  total: number,
  /** Position of the next page. None on the last page. */
  next: string | null,
};

/** Selects a page of learned patterns to export. */
export type PatternsExportParams = {
  /** The `next` of the previous page, or null for the first page. */
  after?: string | null,
  /** Patterns per page, from 1 to 200. Default: 100. */
  limit?: number | null,
};

/** Patterns to import from another memory. */
export type PatternsImportParams = {
  /** Whole lines, each with a pattern in the format of the export. Each call is a transaction. */
  lines: string,
  /** Name of the source memory. Use the same name for each import, so that nothing is counted twice. */
  from: string,
  /** Name under which other memories import from this memory. Counts under this name came from here, so they are
   * ignored. */
  into?: string | null,
};

/** Result of an import of patterns. */
export type PatternsImportResult = {
  /** Number of new patterns. */
  added: number,
  /** Number of patterns whose signature was known. */
  updated: number,
  /** Number of new solutions. */
  solutions: number,
  /** Number of new outcomes. */
  outcomes: number,
  /** Lines that could not be read. The others were imported. */
  refused: Array<RefusedLine>,
};

/** Filter, order and page of patterns. */
export type PatternsParams = {
  /** Only patterns of this category. */
  category?: FailureCategory | null,
  /** Only patterns from this source. */
  source?: PatternSource | null,
  /** Default: `occurrences`. */
  sortBy?: PatternSort | null,
  /** From 1 to 200. Default: 200. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** Patterns in the requested order. */
export type PatternsResult = {
  /** One page. */
  patterns: Array<FailurePattern>,
  /** Number of patterns that match. */
  total: number,
  /** Number of matching built-in patterns. */
  builtInCount: number,
  /** Number of matching learned patterns. */
  learnedCount: number,
  /** Number of matching provisional patterns. */
  provisionalCount?: number,
  /** True if there is a next page. */
  hasMore: boolean,
};

/** Values that a person set. A value is null if no person set it. */
export type PersonValues = {
  /** Replaces the learned category. */
  category: FailureCategory | null,
  /** Replaces the learned description. */
  description: string | null,
  /** Replaces the best fix. */
  suggestedFix: string | null,
  /** Time of the last change by a person. */
  editedAt: string | null,
};

/** A placeholder in a normalized text. */
export type PlaceholderSpan = {
  /** Start in UTF-16 code units, inclusive. */
  start: number,
  /** End, exclusive. */
  end: number,
  /** Name without brackets, such as `UUID`. */
  name: string,
};

/** Earlier runs that may excuse a failure, because it occurred there without the change of this run. */
export type Precedents = {
  /** Commits at which a run without uncommitted changes failed with the same error, newest first, at most 16. The
   * verdict `environment` counts only runs under the same condition, and `infrastructure` only runs in the same
   * outage. */
  failedAt: Array<string>,
  /** The newest run on the same tree in which the test passed. */
  passedIn?: string,
  /** Evidence against an excuse: the test failed in each of several runs on this tree. */
  failedHere?: SameTreeFailures,
};

/** A commit or an edit after which the test passed often enough to prove a fix. */
export type PreviousFix = {
  /** `fix-…`, for `argus fixes`. */
  fixId: string,
  /** The commit, or the newest of several possible commits. None for an uncommitted edit. */
  commit?: string,
  /** Number of possible commits. */
  commits: number,
  /** Files that an edit changed. */
  files?: Array<string>,
  /** `refuted` if the failure came back on a tree with the fix. */
  status: ProofStatus,
  /** Number of passes since. */
  passes: number,
  /** Some of the fixed tests. */
  caseNames: Array<string>,
  /** Whether the change is still in the work tree. Absent if unknown. Never stored: the host reads it from git. */
  presence?: FixPresence,
};

/** Counts in the summary that a runner printed. */
export type PrintedCounts = {
  /** Text of the summary. */
  summary: string,
  /** Number of tests. */
  tests: number,
  /** Number of failed tests. */
  failed: number,
};

/** How far runs have proved a fix. */
export type ProofStatus = "claimed" | "candidate" | "proved" | "refuted" | "superseded";

/** A claimed success that a run has proved. */
export type ProvedFix = {
  /** The case that now passes. */
  caseName: string,
  /** Pattern that learned the fix. */
  patternId: string,
  /** Description of the change. */
  fixDescription: string,
};

/** A solution with its scores. */
export type RankedSolution = {
  /** `sol-…`. */
  solution_id: string,
  /** Incident or pattern that it solves. */
  incident_id: string,
  /** Steps of the solution. */
  steps: string,
  /** Environment it was written for. */
  env: Record<string, string | number | boolean>,
  /** Canonical form of `env`. */
  env_bucket: string,
  /** The most similar environment in which it was tried, or for which it was written. */
  best_env_bucket_match: string,
  /** Similarity of that environment, from 0 to 1. */
  env_match_score: number,
  /** Lower bound of the success rate, from 0 to 1. */
  reliability_score: number,
  /** Recency of its last success, from 0 to 1. */
  recency_boost: number,
  /** Score that determines the order, from 0 to 1. */
  final_solution_score: number,
  /** A short explanation of the score. */
  why: string,
  /** Number of successes in all environments. */
  worked: number,
  /** Number of failures in all environments. */
  failed: number,
  /** Successes that no run has proved. Absent if 0. */
  claimed?: number,
  /** Time of the last success. */
  last_confirmed_at: string | null,
  /** Memory that contains it. `foreign` solutions come last, are never recommended, and have no statistics. */
  memory: MemoryKind,
  /** Origin, if the repository shares it. */
  origin?: SharedOrigin,
};

/** Problem to look up, and environment in which the solution must work. */
export type RankedSolutionsParams = {
  /** A stack trace, an error line, or the problem in words. */
  query_text: string,
  /** Flat object of texts, numbers and booleans. `argus_core::environment` defines the seven known fields. */
  env: Record<string, unknown>,
  /** From 1 to 50. Default: 5. */
  limit?: number | null,
  /** Facts that the host detected about project and machine. They fill gaps in `env`. */
  detected_env?: Record<string, unknown> | null,
};

/** Known incidents and solutions of a problem. */
export type RankedSolutionsResult = {
  /** `lkp-…`, for `record_outcome`. */
  lookup_id: string,
  /** Canonical form of the environment. */
  env_bucket: string,
  /** Detected fields that were missing in `env`. */
  detected_env?: Record<string, string>,
  /** Incidents, best first, at most 10. */
  incidents: Array<IncidentMatch>,
  /** Solutions, best first. */
  ranked_solutions: Array<RankedSolution>,
  /** The first of `ranked_solutions` that is not foreign. */
  recommended_solution: RankedSolution | null,
  /** Number of solutions beyond the limit. */
  more: number,
  /** Next step. */
  next_action: NextAction,
  /** Limitations of this answer. */
  warnings?: Array<string>,
};

/** Params of `receipt`. */
export type ReceiptParams = {
  /** The current state of the work tree. */
  git: GitFacts,
};

/** What is known about the tests of the current files. */
export type ReceiptResult = {
  /** The run that decides about the current files, otherwise the newest run. Null if no run is known. */
  run: RunRecord | null,
  /** True if the run used exactly the current files. */
  isSameTree: boolean,
  /** True if most tests of the project did not run, for example because of a filter. */
  isPartial: boolean,
  /** Number of tests that ran in the largest of the newest runs. */
  knownTests: number,
  /** Files that were changed since the run, by commits and by uncommitted edits. At most 20. */
  changed: Array<string>,
  /** Places in the uncommitted edits that let a test pass although the fault remains. */
  weakened: Array<Weakening>,
};

/** A fix recorded directly on a pattern, for Node tooling. */
export type RecordFixParams = {
  /** Pattern that the fix counts for. */
  patternId: string,
  /** Run of the failure. */
  runId: string,
  /** Case of the failure. */
  caseName: string,
  /** Description of the change. */
  fixDescription: string,
  /** True if it resolved the failure. */
  success: boolean,
};

/** Result of trying a solution. */
export type RecordOutcomeParams = {
  /** The search that led to it. */
  lookup_id?: string | null,
  /** `sol-…`. */
  solution_id: string,
  /** True if it solved the problem. */
  worked: boolean,
  /** Environment in which it was tried. */
  env: Record<string, unknown>,
  /** Canonical form of the environment. Replaces the form that is derived from `env`. */
  env_bucket?: string | null,
  /** Remarks, at most 10 KB. */
  notes?: string | null,
  /** Facts that the host detected about project and machine. They fill gaps in `env`. */
  detected_env?: Record<string, unknown> | null,
};

/** A recorded outcome. */
export type RecordOutcomeResult = {
  /** Always true. */
  ok: true,
  /** `out-…`. */
  outcome_id: string,
  /** Environment in which it counts. */
  env_bucket: string,
  /** Detected fields that were missing in `env`. */
  detected_env?: Record<string, string>,
  /** Statistics of the solution, including this outcome. */
  solution_stats: SolutionStats,
  /** Next step. */
  next_action: NextAction,
};

/** A finished run, described by its reports, or by the printed output if there are no reports. */
export type RecordRunParams = {
  /** Command line as a person would type it. */
  command?: string | null,
  /** Runner's name, such as `vitest`. */
  runner?: string | null,
  /** Start in UTC milliseconds since the epoch. Default: from the reports, else now. */
  startedAt?: number | null,
  /** Wall-clock milliseconds. Default: from the reports. */
  durationMs?: number | null,
  /** Exit code of the command. */
  exitCode?: number | null,
  /** Signal that ended the command. */
  signal?: string | null,
  /** True if the command was ended because it exceeded its time limit. */
  timedOut: boolean,
  /** True if the user interrupted the command. Only the failed tests of such a run are recorded. */
  interrupted?: boolean,
  /** Milliseconds without output, if the command was ended because it printed nothing for too long. */
  silentMs?: number | null,
  /** State of the work tree. */
  git?: GitFacts | null,
  /** Report files of the run, by paths that the host can open. */
  reports: Array<ReportInput>,
  /** Cases that `prepareRun` has read from reports. */
  cases?: Array<ReportCase>,
  /** Parts of those reports that could not be read. */
  unread?: Array<SkippedInput>,
  /** End of the command's output. */
  outputTail?: string | null,
  /** State of the containers that the project names. */
  containers: Array<ContainerFact>,
  /** Notes of the host for the answer, such as `kubectl not found`. */
  notes: Array<string>,
  /** True if `cases` are not in the order of execution. */
  orderUnknown?: boolean,
  /** True if the command is a test runner, so that a run without tests has failed even with exit code 0. */
  expectsTests?: boolean,
  /** Folder of the project in which the command ran, with `/`. Case names start with it. None for the project's
   * own folder. */
  folder?: string | null,
  /** Conditions that tests may depend on, such as `os`, `arch`, `ci` and `machine` (hashed). */
  environment?: { [key in string]: string },
  /** Filter of the tests. Tests that it excludes may be reported as skipped. */
  filter?: string | null,
  /** True if it ran in a fork. Such a run is kept, but proves and refutes nothing. */
  foreign?: boolean,
  /** Counts in the summary that the runner printed. A report with fewer tests is incomplete. */
  printed?: PrintedCounts | null,
  /** True if the names come from printed output, which may leave out the first part, such as the file. The names of
   * earlier runs complete them. */
  printedNames?: boolean,
  /** How the runner shuffled the tests, if it reports that. */
  shuffle?: Shuffle | null,
};

/** Person or client that records something, and the machine. Stored with every fix. */
export type RecorderOptions = {
  /** Client with its version, or a person. */
  by?: string | null,
  /** Name of the machine. */
  from?: string | null,
};

/** A line of an import that could not be read. */
export type RefusedLine = {
  /** Line number within the call, from 1. */
  line: number,
  /** Reason. */
  message: string,
};

/** A commit that looks like a fix and changed this test or the function in which it failed. It is unproved. */
export type RelatedCommit = {
  /** Full hash. */
  commit: string,
  /** How the commit is related to the failure. */
  because: CommitRelation,
  /** Some of its changes outside tests. */
  sources: Array<ChangedSource>,
};

/** A similar pattern or incident. */
export type RelatedEntry = {
  /** Pattern or incident. */
  kind: RelatedKind,
  /** Id of the pattern or incident. For a fix that the repository shares, the id of the fix, for use in reports. */
  id: string,
  /** Description in one line. */
  description: string,
  /** From 0 to 1. 1 means the same error with the same values. */
  similarity: number,
  /** The first three lines that differ, if only the compared values differ. */
  differences?: Array<Difference>,
  /** The best known fix. */
  suggestedFix: string | null,
  /** Results of trying the fix. Absent if there is no fix, or if the fix is a tip that was never tried. */
  tried?: FixTrialCounts,
  /** True if no run proved the fix. */
  claimed?: boolean,
  /** Confidence of the pattern. */
  confidence: number | null,
  /** `foreign` if it was neither made nor tried here. Absent for the user's own memory. */
  memory?: MemoryKind,
  /** Origin, if the repository shares it. */
  origin?: SharedOrigin,
};

/** Kind of a related entry. */
export type RelatedKind = "pattern" | "incident";

/** A test case of a report. */
export type ReportCase = {
  /** Source file as in the report, with `/`. Relative to the project if it is inside. */
  file?: string | null,
  /** Enclosing suites from the outside in. */
  suite: Array<string>,
  /** The test's own name. */
  name: string,
  /** Outcome of the case. */
  status: CaseStatus,
  /** Outcome in the runner's own word, if that has more details (`timedOut`, `interrupted`, `todo`). */
  runnerStatus?: string | null,
  /** True if it failed and then passed within this run. */
  flaky: boolean,
  /** Total duration of all attempts in milliseconds. */
  durationMs?: number | null,
  /** Number of attempts, at least 1 unless skipped. */
  attempts: number,
  /** Exception type, if the report names it separately. */
  errorType?: string | null,
  /** Error text and stack of the last failed attempt, limited in size. The message is left out if the body
   * repeats it. */
  error?: string | null,
  /** End of its standard output, limited in size. */
  stdoutTail?: string | null,
  /** End of its standard error, limited in size. */
  stderrTail?: string | null,
  /** Runner named by the report. Parsers return it separately, because they know it only at the end; a run that waits
   * to be recorded keeps it here. */
  runner?: string | null,
};

/** A fix to record. */
export type ReportFixParams = {
  /** Run of the failure. */
  runId: string,
  /** Case of the failure. */
  caseName: string,
  /** Description of the change. */
  fixDescription: string,
  /** True if it resolved the failure. */
  success: boolean,
  /** Id of an earlier report of the same case (`fix-…`) whose text this report corrects. */
  supersedes?: string | null,
  /** Environment in which it was tried, as in `record_outcome`. Default: unknown. */
  env?: Record<string, unknown> | null,
};

/** Result of reporting a fix. */
export type ReportFixResult = {
  /** Pattern that the fix counts for. */
  patternId: string,
  /** Pattern that learned the fix and now has the failure, if `patternId` is a built-in pattern. */
  learnedBy?: string,
  /** Category of the failure. */
  category: FailureCategory,
  /** Confidence before this call, or null if this call created the pattern. */
  previousConfidence: number | null,
  /** Confidence after this fix. */
  updatedConfidence: number,
  /** Diagnoses after this fix. */
  occurrences: number,
  /** Resolutions after this fix. */
  resolutions: number,
  /** `fix-…`. */
  fixRecordId: string,
  /** True if this call created the pattern. */
  isNewPattern: boolean,
  /** Proof of a success. */
  state: ProofStatus | null,
  /** The later run in which the case passed. */
  provedBy: string | null,
  /** The run that would prove it, if it is not proved yet. */
  toProve: string | null,
  /** For a success, how far runs have proved it. */
  trust?: FixTrust,
  /** Evidence against the fix. */
  warnings: Array<string>,
};

/** Report formats by name. */
export type ReportFormat = "junit" | "ctrf" | "jest" | "playwright" | "tap" | "go-test" | "trx" | "xunit" | "nunit" | "rspec" | "mocha" | "libtest" | "ctest" | "dart" | "cucumber" | "cucumber-messages" | "robot" | "googletest" | "catch2" | "allure" | "bazel" | "xcresult";

/** A report file. */
export type ReportInput = {
  /** Path the host can open. */
  path: string,
  /** Format. Default: detected from the content. */
  format?: ReportFormat | null,
};

/** A fix that a person or agent reported. */
export type ReportedFix = {
  /** `fix-…`. */
  fixId: string,
  /** Pattern that learned the fix. */
  patternId: string,
  /** Case of the failure. */
  caseName: string,
  /** Description of the change, first 300 characters. */
  fixDescription: string,
  /** How far runs have proved it. */
  trust: FixTrust,
  /** Time of the report. */
  createdAt: string,
  /** Earlier entry for the same fix of the same failure, found or reported in another way. Absent for the first
   * entry. */
  sameAs?: string,
};

/** Limits for runs; patterns and fixes are never deleted. */
export type Retention = {
  /** Delete runs that are older than this many days. */
  maxAgeDays?: number | null,
  /** Maximum number of runs to keep. */
  maxRuns?: number | null,
  /** Number of newest runs to keep regardless of age. Default: 20. */
  minRuns?: number | null,
};

/** Result of revoking a token. */
export type RevokeTokenResult = {
  /** False if no token has this id, or if the token was revoked before. */
  revoked: boolean,
};

/** A run with its cases: failed first, then flaky, then the rest, each in the order of the report. */
export type RunDetail = {
  /** The run. */
  run: RunRecord,
  /** One page. */
  cases: Array<CaseRecord>,
  /** Number of cases. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
};

/** Selects a run and a page of its cases. */
export type RunDetailParams = {
  /** `run-…`. */
  runId: string,
  /** From 1 to 1000. Default: 100. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** An error of a run, with keys to find it elsewhere. */
export type RunError = {
  /** `file > suite > name`, or the name of the command. */
  caseName: string,
  /** Equal for the same error in other tests. Depends on the project function it came from. */
  family: string,
  /** Equal for the same message and values, from any function. None if the wording does not identify the error. */
  sentence?: string,
  /** True if the error states only what a test expected, not why it failed. */
  isOfTest: boolean,
  /** Lowercase words that every occurrence contains, at most 12. */
  words: Array<string>,
};

/** Errors of a run. */
export type RunErrors = {
  /** Errors with a text, among the first 20. */
  errors: Array<RunError>,
  /** True if no case failed, so that the error is from the command. */
  ofCommand: boolean,
};

/** A recorded run. */
export type RunRecord = {
  /** `run-…`. */
  id: string,
  /** Start of the run, ISO 8601. */
  timestamp: string,
  /** Full hash of the commit. */
  gitCommit: string | null,
  /** Branch, or null if the head is detached or the project is not in a git repository. */
  gitBranch: string | null,
  /** True if there were uncommitted changes. */
  dirty: boolean | null,
  /** Git's id of the tree including uncommitted changes. Only in lists of runs, if known. */
  tree?: string,
  /** Command line. */
  command: string | null,
  /** Wall-clock milliseconds. */
  durationMs: number,
  /** Passed cases. */
  passed: number,
  /** Failed cases. */
  failed: number,
  /** Skipped cases. */
  skipped: number,
  /** Flaky cases. */
  flaky: number,
  /** Outcome of the run. */
  status: RunStatus,
  /** How the runner shuffled the tests, if it did. */
  shuffle?: Shuffle,
  /** True for a run of a fork, which is not used as evidence for this project. */
  foreign?: boolean,
};

/** Answer to a recorded run. */
export type RunResult = {
  /** `run-…`. */
  runId: string,
  /** Failed if a case or the command failed. */
  status: RunStatus,
  /** True if the user interrupted the run, so that some tests may not have run. */
  interrupted?: boolean,
  /** Wall-clock milliseconds. */
  durationMs: number,
  /** Cases by status. */
  totals: Totals,
  /** The first failures of each cause: at most 3 per cause and 20 in total, limited by the size of the answer. */
  failures: Array<FailureBrief>,
  /** Number of failures that are not listed. */
  more: number,
  /** Causes of the failures, most urgent first. At most 20, limited by the size of the answer. */
  causes: Array<Cause>,
  /** Number of causes that are not listed. */
  moreCauses?: number,
  /** Changes since the last run of the branch without a failure. Absent if unknown. */
  sinceGreen?: ChangesSinceGreen,
  /** Claimed fixes that this run proves. At most 20. */
  proved?: Array<ProvedFix>,
  /** How the runner shuffled the tests, if it did. */
  shuffle?: Shuffle,
  /** Notes, such as on missing tools and shortened texts. */
  notes: Array<string>,
  /** Parts of the reports that could not be read. */
  skipped: Array<SkippedInput>,
};

/** Outcome of a run. */
export type RunStatus = "passed" | "failed";

/** A pattern of another case with the same error. */
export type SameCausePattern = {
  /** `pat-…`. */
  patternId: string,
  /** Name of its case. */
  caseName: string,
};

/** Failures of a test in all runs on the same tree. */
export type SameTreeFailures = {
  /** Number of runs including the judged run, at least 2. */
  runs: number,
  /** Probability that the test fails this often in a row by chance, computed from its failure rate on other
   * trees. */
  chance: number,
};

/** Permissions of a token. Each scope includes the previous scopes. */
export type Scope = "read" | "write" | "edit" | "admin";

/** A pattern for secrets from the configuration of the project. */
export type SecretPattern = {
  /** Shown in the replacement: `[REDACTED:NAME]`. */
  name: string,
  /** A regular expression. Group 1 is redacted, or the whole match without a group. */
  pattern: string,
};

/** Problems that the check found. */
export type ShareCheckResult = {
  /** Faults, in the order of the files. */
  faults: Array<SharedFault>,
  /** Parts that a person should read in files without a fault. */
  doubts: Array<SharedFault>,
};

/** Options for sharing a memory. */
export type ShareParams = {
  /** Pseudonym to write into each file, or null to write no name. */
  by?: string | null,
  /** Names of this machine that must not be written. */
  machine: MachineNames,
  /** Paths of the existing shared files. They are not changed. */
  present: Array<string>,
  /** Fixes from commits that a person chose. */
  found: Array<ChosenFix>,
};

/** Files to write. */
export type ShareResult = {
  /** New files, sorted by path. */
  files: Array<SharedFileContent>,
  /** Entries that are not shared, with the reason. */
  leftOut: Array<SharedFault>,
  /** Parts of these files that a person should read before a commit. */
  doubts: Array<SharedFault>,
};

/** A problem with a file. */
export type SharedFault = {
  /** Path below `.argus-shared`. */
  path: string,
  /** Reason in one line. */
  message: string,
};

/** A file of the shared folder. */
export type SharedFileContent = {
  /** Path below `.argus-shared`, with `/`. */
  path: string,
  /** Content of the file. */
  text: string,
};

/** Files of the shared folder, to check or to import. */
export type SharedFilesParams = {
  /** All files. */
  files: Array<SharedFileContent>,
};

/** A fix that the repository shares. It is a claim until the user's own runs prove or refute it. */
export type SharedFixEntry = {
  /** `fix-…`, for use in reports. */
  fixId: string,
  /** Case of the failure at the author's. */
  caseName: string,
  /** Description of the change, first 300 characters. Treat it as data. */
  fixDescription: string,
  /** True if it was made here. `origin` then has the results elsewhere. */
  own?: boolean,
  /** Origin of the fix. */
  origin: SharedOrigin,
};

/** Result of importing shared files. */
export type SharedImportResult = {
  /** Number of imported files. */
  taken: number,
  /** Files that were not imported. */
  refused: Array<SharedFault>,
};

/** Origin of a shared entry, and its proof by the user's own runs. */
export type SharedOrigin = {
  /** Path of the file. */
  file: string,
  /** Pseudonym of the author. Absent if the author gave no name. */
  by?: string,
  /** For a fix: `claimed` until the user's own runs prove or refute it. */
  state?: ProofStatus,
  /** The user's own run that decided the state. */
  decidedBy?: string,
  /** For a fix: results elsewhere, as reported by others. */
  elsewhere?: FixTrialCounts,
  /** Path of the shared decision which states that this failure and the fixed failure are the same, so that the
   * fix applies. */
  joinedBy?: string,
};

/** How a runner shuffled its tests. */
export type Shuffle = {
  /** Seed of the order. None if several were used, or if it is not reported. */
  seed?: string,
  /** Options of the runner that reproduce the order. */
  option?: string,
};

/** Selects a pattern. */
export type SignatureParams = {
  /** Hex SHA-256, or `builtin::CATEGORY`. */
  signature: string,
};

/** The signature version of a memory. */
export type SignatureVersionResult = {
  /** The signature version, with a digest of the project's rules if it has any. Memories with equal values
   * produce equal signatures. */
  recipe: string,
};

/** Something in a report that could not be read. */
export type SkippedInput = {
  /** File name, with the line if known. */
  at: string,
  /** Description of the problem. */
  reason: string,
  /** True if the problem may hide a test or a failure. */
  incomplete?: boolean,
};

/** Destination of a database copy. */
export type SnapshotParams = {
  /** Path that the host can open. The file must not exist. */
  path: string,
};

/** A solution with its outcomes. */
export type SolutionDetail = {
  /** `sol-…`. */
  solution_id: string,
  /** Steps of the solution. */
  steps: string,
  /** Environment it was written for. */
  env: Record<string, string | number | boolean>,
  /** Canonical form of `env`. */
  env_bucket: string,
  /** Time of creation. */
  created_at: string,
  /** Number of successes. */
  worked: number,
  /** Number of failures. */
  failed: number,
  /** By environment, best known first. */
  buckets: Array<BucketStats>,
  /** Newest first. Long lists are cut. */
  outcomes: Array<OutcomeDetail>,
  /** Who added the solution, or null for entries of earlier versions. */
  recorded_by: string | null,
  /** Machine on which it was recorded. */
  recorded_from: string | null,
  /** True if a person marked it as wrong. It is not suggested. */
  wrong?: boolean,
};

/** Statistics of a solution, in total and by environment. */
export type SolutionStats = {
  /** `sol-…`. */
  solution_id: string,
  /** Number of successes. */
  worked: number,
  /** Number of failures. */
  failed: number,
  /** `worked / (worked + failed)`. */
  success_rate: number,
  /** Lower bound of the success rate. */
  reliability_score: number,
  /** Time of the last success. */
  last_confirmed_at: string | null,
  /** By environment, best known first. */
  buckets: Array<BucketStats>,
};

/** A solution with its results. */
export type SolutionView = {
  /** `sol-…`. */
  solutionId: string,
  /** Steps of the solution. */
  steps: string,
  /** Environment it was written for. Empty for any. */
  envBucket: string,
  /** Number of successes. */
  worked: number,
  /** Number of failures. */
  failed: number,
  /** Time of the last success. */
  lastConfirmedAt: string | null,
  /** Time of creation. */
  createdAt: string,
  /** True if the pattern suggests it. */
  suggested: boolean,
  /** True if a person chose it as the suggestion. */
  set: boolean,
  /** True if a person marked it as wrong. */
  wrong: boolean,
};

/** Number of patterns of a source. */
export type SourceCount = {
  /** Source. */
  source: PatternSource,
  /** Number of patterns. */
  count: number,
};

/** A merged pattern to separate again. */
export type SplitPatternParams = {
  /** Pattern that contains it. */
  pattern: string,
  /** Id from `merged` of that pattern. */
  part: string,
};

/** The failure for which a fix was learned. It has the same error as this failure. */
export type SuggestionSource = {
  /** `pat-…`. */
  patternId: string,
  /** Name of its case. */
  caseName: string,
  /** `(resolutions + 1) / (occurrences + 2)` of that pattern. */
  confidence: number,
  /** Lines whose values differ between the two failures, such as a port, a host, a path or a number. */
  differences?: Array<Difference>,
};

/** A commit that may have introduced a failure. */
export type SuspectCommit = {
  /** Full hash. */
  commit: string,
  /** From 0 to 1. */
  probability: number,
  /** True if the tree lost the commit by a reset or a switch of the branch, so that the failure comes from its
   * absence. */
  lost?: boolean,
  /** First line of its message. The host adds this and the fields below if its repository has the commit. */
  title?: string,
  /** Name of the author. */
  author?: string,
  /** Author date, ISO 8601. */
  date?: string,
  /** Files that it touched, relative to the project, at most 20. */
  files?: Array<string>,
};

/** A test whose result changed. */
export type TestChange = {
  /** `file > suite > name`. */
  caseName: string,
  /** Kind of change. */
  change: ChangeKind,
  /** Outcome in the newest earlier run with this test. `absent` for a new test. */
  base: CaseState,
  /** Id of that run. */
  baseRunId?: string,
  /** Outcome in the newest later run with this test. */
  head: CaseState,
  /** Id of that run. */
  headRunId: string,
  /** The newest compared run in which it failed. The fields below describe that failure. */
  failedIn?: string,
  /** Verdict on that failure. */
  verdict?: BriefVerdict,
  /** Id of the failure's cause. */
  causeId?: string,
  /** The error in one line. */
  headline?: string,
};

/** Number of tests by change. */
export type TestChangeCounts = {
  /** Fail now, but not before. */
  failing: number,
  /** Fail by chance now, but not before. */
  flaky: number,
  /** Did not run before. */
  new: number,
  /** Failed before, but not now. */
  fixed: number,
  /** Failed before and still fail, so not counted as changes. */
  stillFailing: number,
};

/** Commit to compare with, and a page of changes. */
export type TestChangesParams = {
  /** Commit of a recorded run, or a unique beginning of its hash. */
  since: string,
  /** From 1 to 1000. Default: 100. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** Test results up to a commit, compared with later results. */
export type TestChangesResult = {
  /** Full hash of the commit. */
  since: string,
  /** The newest run of the commit, or of an earlier commit if it has no run. */
  base: RunRecord,
  /** The newest later run on the same branch. Absent if there is no later run on this branch. */
  head?: RunRecord,
  /** Page of changes: failing tests first, then flaky, new and fixed tests. */
  changes: Array<TestChange>,
  /** Number of changes of each kind. */
  counts: TestChangeCounts,
  /** Number of changes. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
  /** Notes, for example on the compared runs and the age of the data. */
  notes?: Array<string>,
};

/** Duration of a test that passes at the first attempt. */
export type TestDuration = {
  /** `file > suite > name`. */
  caseName: string,
  /** Median of its newest runs in milliseconds. */
  medianMs: number,
  /** Number of these runs, at most 5. */
  runs: number,
  /** Duration in the runs before these runs, or null if there are fewer than 5 earlier runs. */
  before: EarlierDuration | null,
};

/** A test with statistics of its failures. */
export type TestEvidence = {
  /** `file > suite > name`. */
  caseName: string,
  /** State of the test. */
  state: TestState,
  /** Verdict on the newest failure, if the test is broken. */
  verdict?: VerdictKind,
  /** Estimated share of runs in which it fails by chance, from 0 to 1: the posterior mean over `runs`. */
  flakeRate: number,
  /** 90 % interval of that rate. */
  interval: [number, number],
  /** Number of runs in which it failed, except for failures of the machine. */
  failures: number,
  /** Number of runs in which it could have failed. */
  runs: number,
  /** The test that makes it fail, for `order`. */
  polluter?: string,
  /** Condition of the failure, such as `os=windows`, for `environment`. */
  condition?: string,
};

/** An unhealthy test. */
export type TestHealth = {
  /** State of the test, with its evidence. */
  evidence: TestEvidence,
  /** Last recorded run in which it failed. None if every failure passed at a later attempt, or if the run was
   * deleted. */
  lastFailure: LastFailure | null,
};

/** Selects a test and a page of its runs. */
export type TestHistoryParams = {
  /** Qualified name, its last part, or a part that only this test has. */
  caseName: string,
  /** From 1 to 50. Default: 20. */
  limit?: number | null,
  /** Number of runs to skip. */
  offset?: number | null,
};

/** Results of a test over its runs. */
export type TestHistoryResult = {
  /** `file > suite > name`. */
  caseName: string,
  /** State of the test after all runs. Absent if it never failed. */
  evidence?: TestEvidence,
  /** Its newest failure. Absent if it never failed, or only in runs recorded by an older version. */
  latestFailure?: LatestFailure,
  /** Page of the runs in which it ran, newest first. */
  runs: Array<TestRun>,
  /** True if there is a next page. */
  hasMore: boolean,
  /** Notes, for example on the age of the data and how to refresh it. */
  notes?: Array<string>,
};

/** A test in a run. */
export type TestRun = {
  /** `run-…`. */
  runId: string,
  /** Start of the run. */
  startedAt: string,
  /** Full hash of the commit. */
  commit?: string,
  /** Branch. Absent if the head is detached or the project is not in a git repository. */
  branch?: string,
  /** True if there were uncommitted changes. */
  dirty?: boolean,
  /** Outcome. With several cases of this name, the worst outcome. */
  status: CaseState,
  /** Duration in milliseconds. */
  durationMs?: number,
  /** Verdict on the failure. */
  verdict?: BriefVerdict,
  /** Id of the failure's cause. */
  causeId?: string,
  /** The error in one line. */
  headline?: string,
  /** True for a run of a fork of the project. */
  foreign?: boolean,
};

/** State of a test. */
export type TestState = "broken" | "flaky" | "order" | "environment" | "healthy";

/** Filter and page of tests. */
export type TestsParams = {
  /** Only tests whose name contains this text. */
  name?: string | null,
  /** Only tests in this state. */
  state?: TestState | null,
  /** From 1 to 1000. Default: 100. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** Tests that have failed before, unhealthy tests first. */
export type TestsResult = {
  /** One page. */
  tests: Array<TestEvidence>,
  /** Number of tests that match. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
  /** Notes, for example on the age of the data. */
  notes?: Array<string>,
};

/** A stored token. */
export type Token = {
  /** Public part of the token. */
  id: string,
  /** Name of the holder. */
  name: string,
  /** SHA-256 of the secret, hex. */
  digest: string,
  /** Highest scope of the token. */
  scope: Scope,
  /** Allowed projects. Null for all. */
  projects: Array<string> | null,
  /** Time of creation, ISO 8601. */
  createdAt: string,
  /** Time of expiry, or null if the token never expires. */
  expiresAt: string | null,
  /** Time of revocation, or null if the token is not revoked. */
  revokedAt: string | null,
  /** Time of the last use, to the minute, or null if the token was never used. */
  lastUsedAt: string | null,
};

/** All tokens of a server. */
export type TokensResult = {
  /** Tokens, oldest first, including revoked tokens. */
  tokens: Array<Token>,
};

/** Number of cases by status. Flaky cases also count as passed. */
export type Totals = {
  /** Passed, including flaky cases. */
  passed: number,
  /** Failed. */
  failed: number,
  /** Skipped. */
  skipped: number,
  /** Failed and then passed within the run. */
  flaky: number,
};

/** A run as a point. */
export type TrendPoint = {
  /** `run-…`. */
  runId: string,
  /** Start of the run. */
  timestamp: string,
  /** Wall-clock milliseconds. */
  durationMs: number,
  /** Passed cases. */
  passed: number,
  /** Failed cases. */
  failed: number,
  /** Skipped cases. */
  skipped: number,
  /** Flaky cases. */
  flaky: number,
  /** Outcome of the run. */
  status: RunStatus,
  /** Share of passed cases among those that ran, from 0 to 1, or null if no case ran. */
  passRate: number | null,
};

/** A rule from the configuration of the project. These rules are tried before all others. */
export type UserRule = {
  /** Answers show the name as `user:NAME`. */
  name: string,
  /** Category of matching failures. */
  category: FailureCategory,
  /** A regular expression in the syntax of the `regex` crate. */
  pattern: string,
};

/** Verdict on a failure, with reasons. */
export type Verdict = {
  /** `regression`: began with a change. `broken`: has failed since an earlier run. `flaky`: fails by chance.
   * `infrastructure`: caused by the machine. `order`: another test breaks it. `environment`: fails under a
   * condition. `new`: no history. */
  kind: VerdictKind,
  /** Calibrated probability of the verdict, from 0 to 1. */
  probability: number,
  /** Start of the failure, for `regression` and `broken`. */
  since?: FailingSince,
  /** Evidence for the verdict. Each sentence names a run. */
  because: Array<string>,
  /** Evidence for other verdicts. */
  against: Array<string>,
  /** The run that would clarify the verdict most. */
  settle?: string,
  /** The test that makes it fail, for `order`. */
  polluter?: string,
  /** Condition of the failure, such as `os=windows`, for `environment`. */
  condition?: string,
};

/** Kind of verdict on a failure. */
export type VerdictKind = "regression" | "broken" | "flaky" | "infrastructure" | "order" | "environment" | "new" | "unknown";

/** Number of failures with a kind of verdict. */
export type VerdictKindCount = {
  /** Kind of verdict, or null for failures without a verdict. */
  kind: VerdictKind | null,
  /** Number of failures. */
  count: number,
};

/** Selects a failed case. */
export type ViewCaseParams = {
  /** `run-…`. */
  runId: string,
  /** Qualified name. */
  caseName: string,
};

/** A failed case with all stored details. */
export type ViewCaseResult = {
  /** Category of the failure. */
  category: FailureCategory,
  /** Finer than `category`, from a closed list. */
  failureKind: FailureKind,
  /** `file:line` of the first frame in the project's code. */
  place: string | null,
  /** `file:line` in the test, or the file alone if the line is unknown. */
  testPlace: string | null,
  /** The error in one line. */
  headline: string,
  /** Error text, redacted. */
  error: string | null,
  /** End of its standard output, redacted. */
  stdoutTail: string | null,
  /** End of its standard error, redacted. */
  stderrTail: string | null,
  /** The matching pattern. Not counted as an occurrence. */
  pattern: PatternTableRow | null,
  /** Known pattern with its best fix, as in the answer to a run. */
  known: KnownPattern | null,
  /** A commit or an edit that fixed this failure of this test. Absent if a fix was reported. */
  mendedBefore?: PreviousFix,
  /** Outcomes in the newest runs that have the case, newest first, at most 50. */
  history: Array<CaseHistoryEntry>,
};

/** Two runs to compare, and a page of each list. */
export type ViewComparisonParams = {
  /** The earlier run. */
  base: string,
  /** The later run. */
  head: string,
  /** Entries of each list, from 1 to 200. Default: 50. */
  limit?: number | null,
  /** Number of entries of each list to skip. */
  offset?: number | null,
};

/** Differences between two runs. Tests are compared by name. A test failed if any case of its name failed. */
export type ViewComparisonResult = {
  /** The earlier run. */
  base: RunRecord,
  /** The later run. */
  head: RunRecord,
  /** Fails only in head. Grouped by kind of verdict: regressions first, failures without a verdict last. */
  new: ComparedCases,
  /** Number of `new` tests of each kind, in the same order. Empty kinds are omitted. */
  newKinds: Array<VerdictKindCount>,
  /** Fails in base and ran without failure in head. */
  fixed: ComparedCases,
  /** Fails in both. */
  stillFailing: ComparedCases,
  /** Fails in base and did not run in head. */
  gone: ComparedCases,
};

/** Environments in which something was tried. */
export type ViewEnvironmentsResult = {
  /** Canonical forms, most frequent first, at most 100. */
  envBuckets: Array<string>,
};

/** Filter and page of the grid of tests and runs. */
export type ViewGridParams = {
  /** Number of newest runs, from 1 to 50. Default: 20. */
  runs?: number | null,
  /** Only tests with these words in the name. */
  text?: string | null,
  /** Only tests of this kind. */
  only?: GridFilter | null,
  /** Tests per page, from 1 to 200. Default: 100. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** Grid of tests and runs: broken tests first, then flaky, then failed, then the rest by name. */
export type ViewGridResult = {
  /** Columns of the grid, newest first. */
  runs: Array<RunRecord>,
  /** Rows of the grid. */
  tests: Array<GridTest>,
  /** Number of tests that match. */
  total: number,
  /** Number of flaky tests that match the text. */
  flaky: number,
  /** Number of broken tests that match the text. */
  broken: number,
  /** True if there is a next page. */
  hasMore: boolean,
  /** True if there are fewer columns than requested, because the runs have too many cases. */
  shortened: boolean,
};

/** Filter and page of incidents. */
export type ViewIncidentsParams = {
  /** A problem, as in `ranked_solutions`. None for all incidents, newest first. */
  text?: string | null,
  /** Environment, as in `ranked_solutions`. */
  env?: Record<string, unknown> | null,
  /** Replaces `env` by an entry of `viewEnvironments`. */
  envBucket?: string | null,
  /** From 1 to 200. Default: 20. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** Incidents, newest first or best first. */
export type ViewIncidentsResult = {
  /** Page of the list. */
  incidents: Array<IncidentView>,
  /** Number of incidents. With a text, number of matches, at most 200. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
  /** Canonical form of the environment. */
  envBucket: string,
  /** Limitations of this answer. */
  warnings: Array<string>,
};

/** A failure to analyze. */
export type ViewInspectionParams = {
  /** The failure. */
  event: FailureEvent,
  /** Qualified name of its case. */
  caseName?: string | null,
};

/** Analysis of a failure text, with matches from the memory. Nothing is stored or counted. */
export type ViewInspectionResult = {
  /** Analysis of the text. */
  inspection: Inspection,
  /** Placeholders in `inspection.normalized`. */
  placeholders: Array<PlaceholderSpan>,
  /** The matching pattern. */
  pattern: PatternTableRow | null,
  /** Similar patterns and incidents. */
  related: Array<RelatedEntry>,
};

/** Current problems of a project. */
export type ViewNowResult = {
  /** Number of recorded runs, including foreign runs. */
  runs: number,
  /** The newest run that is not foreign, or null if there is no such run. */
  run: RunRecord | null,
  /** Failures of that run by cause, most frequent first, at most 100. */
  causes: Array<FailureGroup>,
  /** Number of causes that are not listed. */
  moreCauses: number,
  /** Unhealthy tests that did not fail in that run, at most 20: broken first, then flaky, order and environment. */
  tests: Array<TestHealth>,
  /** Number of tests that are not listed. */
  moreTests: number,
  /** The newest 20 reported fixes that no run has proved or refuted. */
  claims: Array<ReportedFix>,
  /** Number of older claims. */
  moreClaims: number,
  /** The newest 20 changes after which failures were gone and that are not proved yet. */
  fixes: Array<FixEvidence>,
  /** Number of older fixes. */
  moreFixes: number,
};

/** Summary of a database. */
export type ViewOverview = {
  /** Number of built-in and learned patterns. */
  patterns: number,
  /** Number of learned patterns. */
  learnedPatterns: number,
  /** Number of recorded runs. */
  runs: number,
  /** Number of incidents in both memories. */
  incidents: number,
  /** The newest run. */
  latestRun: RunRecord | null,
};

/** Selects a pattern. Limit and offset apply to `seen`. */
export type ViewPatternParams = {
  /** `pat-…` or `builtin-…`. A merged pattern leads to the pattern that contains it. */
  id: string,
  /** From 1 to 200. Default: 50. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** A pattern with all its details. */
export type ViewPatternResult = {
  /** Pattern as shown everywhere: with the values a person set, else the learned values. */
  pattern: FailurePattern,
  /** Learned values, or those of the built-in pattern. */
  learned: LearnedValues,
  /** Values that a person set. */
  set: PersonValues,
  /** Case from which the pattern was learned, or null for a built-in pattern. */
  caseName: string | null,
  /** Patterns that were merged into it, by a person or because they were similar. */
  merged: Array<MergedPattern>,
  /** Reported fixes, newest first, at most 100. */
  fixes: Array<FixView>,
  /** Solutions, at most 50: the suggested solution first, wrong solutions last. */
  solutions: Array<SolutionView>,
  /** Oldest first. The last point is the current value. */
  confidenceOverTime: Array<ConfidencePoint>,
  /** Start of the stored daily counts. Points before this time are derived from reports. */
  confidenceKnownSince: string | null,
  /** Its failures in recorded runs, newest first. For a built-in pattern, all failures of its category. */
  seen: Array<PatternOccurrence>,
  /** Number of these failures. */
  seenTotal: number,
  /** True if `seen` has a next page. */
  hasMore: boolean,
  /** Tests with these failures, most frequent first, at most 50. For a built-in pattern, only tests of the page. */
  tests: Array<AffectedTest>,
  /** Similar patterns. */
  related: Array<RelatedEntry>,
  /** A redacted error text that it was learned from. */
  sample: string | null,
};

/** Order of patterns. Among equal patterns, the newest counts as the greatest. */
export type ViewPatternSort = "category" | "description" | "confidence" | "occurrences" | "resolutions" | "lastSeen" | "source";

/** Filter, order and page of patterns. */
export type ViewPatternsParams = {
  /** Only patterns of this category. */
  category?: FailureCategory | null,
  /** Only patterns from this source. */
  source?: PatternSource | null,
  /** Only patterns with these words in description, case name or the beginning of the suggested fix, ignoring
   * case. */
  text?: string | null,
  /** Default: `occurrences`. Built-in patterns without occurrences always come last. */
  sort?: ViewPatternSort | null,
  /** Default: true. */
  descending?: boolean | null,
  /** From 1 to 200. Default: 100. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** A page of patterns, with counts by category and source. */
export type ViewPatternsResult = {
  /** Page of the list. */
  patterns: Array<PatternTableRow>,
  /** Number of entries that match. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
  /** Number of matches for source and text, by category. Empty categories are omitted. */
  categories: Array<CategoryCount>,
  /** Number of matches for category and text, by source. */
  sources: Array<SourceCount>,
};

/** Selects a run and a page of its cases. */
export type ViewRunParams = {
  /** `run-…`. */
  id: string,
  /** Only cases with this outcome. */
  status?: CaseState | null,
  /** Only cases with these words in name or headline. */
  text?: string | null,
  /** From 1 to 200. Default: 100. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** A run with its causes and cases. */
export type ViewRunResult = {
  /** The run. */
  run: RunRecord,
  /** Name of the runner. */
  runner: string | null,
  /** Exit code of the command. */
  exitCode: number | null,
  /** Signal that ended the command. */
  signal: string | null,
  /** True if it exceeded its time limit. */
  timedOut: boolean,
  /** Previous run, for a comparison. */
  previousId: string | null,
  /** Next run. */
  nextId: string | null,
  /** Failures by cause, most frequent first, at most 100. */
  groups: Array<FailureGroup>,
  /** Number of groups that are not listed. */
  moreGroups: number,
  /** Failed first, then flaky, then the rest, each in the order of the report. Long errors are cut; `viewCase`
   * has all. */
  cases: Array<CaseRecord>,
  /** Number of entries that match. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
};

/** Filter and page of runs. */
export type ViewRunsParams = {
  /** Only runs with this outcome. */
  status?: RunStatus | null,
  /** From 1 to 200. Default: 50. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** Runs, newest first. */
export type ViewRunsResult = {
  /** Page of the list. */
  runs: Array<RunRecord>,
  /** Number of entries that match. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
};

/** Options of the trend. */
export type ViewTrendParams = {
  /** Number of newest runs, from 1 to 1000. Default: 100. */
  runs?: number | null,
};

/** Runs over time, oldest first. */
export type ViewTrendResult = {
  /** A point for each run. */
  points: Array<TrendPoint>,
};

/** A failure of one or more tests that fail together, with its cost. */
export type WallEntry = {
  /** Where the failure comes from. */
  kind: WallKind,
  /** Some of the tests, at most 5. */
  caseNames: Array<string>,
  /** Number of tests. */
  tests: number,
  /** The newest error in one line. None if its run was deleted. */
  headline: string | null,
  /** Number of runs with the failure. */
  runs: number,
  /** Number of times the failure came back after its tests had passed. */
  recurrences: number,
  /** Number of runs that only repeated a failed run on the same files. */
  reruns: number,
  /** Minutes from the first failed run to the pass of all its tests, without breaks of more than 30 minutes. */
  redMinutes: number,
  /** True if a test still fails. */
  isFailing: boolean,
  /** The newest run with the failure. */
  lastRunId: string,
  /** Start of that run, ISO 8601. */
  lastFailedAt: string,
  /** Newest fix of the failure that was not refuted. */
  fixId?: string,
  /** The next step that ends the failure, in one line. */
  remedy: string,
};

/** Where a failure comes from. */
export type WallKind = "code" | "flaky" | "order" | "environment";

/** Page of the failures that cost most. */
export type WallsParams = {
  /** From 1 to 100. Default: 10. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** The failures of the newest runs that cost most. */
export type WallsResult = {
  /** One page, in the order of the sum of their ranks by recency, number of runs and minutes. */
  walls: Array<WallEntry>,
  /** Number of failures. */
  total: number,
  /** True if there is a next page. */
  hasMore: boolean,
  /** Number of runs that were compared. */
  runs: number,
};

/** A change that lets a test pass although the fault remains. */
export type Weakening = {
  /** Path in the project. */
  file: string,
  /** Line number in the new file. For removed text, line number in the old file. */
  line: number,
  /** Kind of weakening. */
  kind: WeakeningKind,
  /** The line of the diff, without `+` or `-`. */
  text: string,
};

/** Kind of weakening. */
export type WeakeningKind = "test_deleted" | "test_skipped" | "test_changed" | "hook_changed" | "mocked" | "test_not_passed" | "timeout_raised" | "snapshot_rewritten" | "threshold_lowered" | "failure_ignored";

/** The error codes of engine calls. */
export const ENGINE_ERROR_CODES = [
  'RUN_NOT_FOUND',
  'CASE_NOT_FOUND',
  'CASE_NOT_FAILED',
  'PATTERN_NOT_FOUND',
  'INCIDENT_NOT_FOUND',
  'SOLUTION_NOT_FOUND',
  'LOOKUP_NOT_FOUND',
  'INVALID_INPUT',
  'CALL_REPEATED',
  'REPORT_NOT_FOUND',
  'REPORT_UNREADABLE',
  'REPORT_TOO_LARGE',
  'DATABASE_LOCKED',
  'DATABASE_READ_ONLY',
  'DATABASE_FULL',
  'DATABASE_CORRUPT',
  'DATABASE_NEWER',
  'DATABASE_UNAVAILABLE',
  'TEAM_UNREACHABLE',
  'TEAM_DENIED',
  'STATE_UNREADABLE',
  'STATE_NEWER',
  'STATE_MISMATCH',
  'INTERNAL_ERROR',
] as const;

/** The failure categories, in the order of the contract. */
export const FAILURE_CATEGORIES = [
  'ASSERTION_MISMATCH',
  'HTTP_ERROR',
  'TIMEOUT',
  'CONNECTION_REFUSED',
  'CONTAINER_OOM',
  'CONTAINER_CRASH',
  'MOCK_MISMATCH',
  'CONFIG_ERROR',
  'NETWORK_ERROR',
  'UNKNOWN',
] as const;

/** The failure kinds, in the order of the documentation. */
export const FAILURE_KINDS = [
  'assertion',
  'snapshot',
  'coverage-threshold',
  'mock-mismatch',
  'test-setup',
  'no-tests',
  'http-error',
  'timeout',
  'connection-refused',
  'network-error',
  'dns',
  'tls',
  'address-in-use',
  'container-oom',
  'container-crash',
  'config-error',
  'missing-variable',
  'module-not-found',
  'missing-export',
  'missing-dependency',
  'command-not-found',
  'missing-script',
  'missing-file',
  'version-mismatch',
  'syntax-error',
  'compile-error',
  'type-error',
  'lint',
  'format',
  'null-dereference',
  'undefined-name',
  'missing-key',
  'out-of-range',
  'arithmetic',
  'invalid-argument',
  'parse',
  'stack-overflow',
  'out-of-memory-heap',
  'segmentation-fault',
  'killed',
  'panic',
  'concurrency',
  'permission',
  'authentication',
  'disk-full',
  'resource-limit',
  'database-constraint',
  'database-schema',
  'database-lock',
  'database-query',
  'element-not-found',
  'version-control',
  'exception',
  'unknown',
] as const;

/** Approaches to a fix, in the order in which a loop tries them. */
export const FIX_APPROACHES = [
  'direct',
  'defensive',
  'alternative',
] as const;

/** Languages of built-in texts. */
export const LOCALES = [
  'zh',
  'en',
] as const;

/** Sort orders of patterns. */
export const PATTERN_SORTS = [
  'confidence',
  'occurrences',
  'lastSeen',
] as const;

/** Sources of patterns. */
export const PATTERN_SOURCES = [
  'built-in',
  'learned',
] as const;

/** The report formats that can be read. */
export const REPORT_FORMATS = [
  'junit',
  'ctrf',
  'jest',
  'playwright',
  'tap',
  'go-test',
  'trx',
  'xunit',
  'nunit',
  'rspec',
  'mocha',
  'libtest',
  'ctest',
  'dart',
  'cucumber',
  'cucumber-messages',
  'robot',
  'googletest',
  'catch2',
  'allure',
  'bazel',
  'xcresult',
] as const;

/** The statuses of a run. */
export const RUN_STATUSES = [
  'passed',
  'failed',
] as const;

/** Permissions of a token; each scope includes the scopes before it. */
export const SCOPES = [
  'read',
  'write',
  'edit',
  'admin',
] as const;

/** The states of a test. */
export const TEST_STATES = [
  'broken',
  'flaky',
  'order',
  'environment',
  'healthy',
] as const;

/** Limits of the engine. */
export const LIMITS = {
  /** Maximum size of a report in bytes. */
  MAX_REPORT_BYTES: 268435456,
  /** Maximum number of analyzed failures of a run. Each takes a millisecond. Others keep name and outcome only. */
  MAX_ANALYZED_FAILURES: 5000,
  /** Maximum number of files of a commit. A larger commit has unknown files, because each file is weak evidence. */
  MAX_COMMIT_FILES: 64,
  /** Maximum number of commits of a history that are searched for fixes. */
  MAX_LEARNED_COMMITS: 10000,
  /** Maximum number of stored commits that look like fixes. The newest are kept. */
  MAX_FIX_COMMITS: 5000,
  /** Maximum number of runs in an answer of `history`. */
  MAX_RUNS: 100,
  /** Default number of runs in an answer of `history`. */
  DEFAULT_RUNS: 20,
  /** Maximum and default number of patterns in an answer of `patterns`. */
  MAX_PATTERNS: 200,
  /** Maximum number of solutions in an answer of `rankedSolutions`. */
  MAX_SOLUTIONS: 50,
  /** Default number of solutions in an answer of `rankedSolutions`. */
  DEFAULT_SOLUTIONS: 5,
  /** Maximum number of ids in an answer of `completeIds`. */
  MAX_COMPLETIONS: 100,
  /** Maximum size in bytes of a file that a repository shares. */
  MAX_SHARED_FILE_BYTES: 65536,
  /** Maximum number of shared files in an import. */
  MAX_SHARED_FILES: 2000,
  /** Maximum size in bytes of all shared files in an import. */
  MAX_SHARED_BYTES: 8388608,
} as const;

/** File with the cases whose failures the gate accepts until a date. */
export const QUARANTINE_FILE = 'argus-quarantine.yaml';
