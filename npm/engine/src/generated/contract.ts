// Generated from crates/engine/src/contract.rs by `cargo xtask types`; edit there.

/** A problem with the fix that was tried and what came of it. */
export type AddIncidentParams = {
  /** One line, at most 500 characters are kept. */
  title: string,
  /** The error as it was printed. */
  error_signature?: string | null,
  /** The problem in words. */
  summary?: string | null,
  /** Labels, at most 50 of 100 characters. */
  tags?: Array<string> | null,
  /** The search that found nothing. */
  lookup_id?: string | null,
  /** What to do, at most 100 KB. */
  steps: string,
  /** Where it was tried. */
  env: Record<string, unknown>,
  /** In place of what `env` gives. */
  env_bucket?: string | null,
  /** The steps solved it. */
  worked: boolean,
  /** Anything worth knowing, at most 10 KB. */
  notes?: string | null,
  /** Adds it although one like it is there. */
  force?: boolean | null,
  /** What the host found of project and machine; fills in what `env` leaves out. */
  detected_env?: Record<string, unknown> | null,
};

/** A new incident, or the one that is there already. */
export type AddIncidentResult = IncidentCreated | IncidentDuplicate;

/** A fix to add to an incident. */
export type AddSolutionParams = {
  /** `inc-…` or `pat-…`. */
  incident_id: string,
  /** What to do, at most 100 KB. */
  steps: string,
  /** What it is written for. */
  env: Record<string, unknown>,
  /** In place of what `env` gives. */
  env_bucket?: string | null,
  /** The search that led to the incident. */
  lookup_id?: string | null,
  /** What the host found of project and machine; fills in what `env` leaves out. */
  detected_env?: Record<string, unknown> | null,
};

/** An added solution. */
export type AddSolutionResult = {
  /** `sol-…`. */
  solution_id: string,
  /** The environment it is written for. */
  env_bucket: string,
  /** False: the same steps for the same environment were there already. */
  created: boolean,
  /** The fields that were not in `env` and were found. */
  detected_env?: Record<string, string>,
  /** What to do now. */
  next_action: NextAction,
};

/** A fix as it was declared. */
export type AppliedFix = {
  /** In words. */
  description: string,
  /** Digest of the change in the work tree. */
  digest: string | null,
  /** Files it changed. */
  files: Array<FileChange>,
  /** A change outside the work tree. */
  outside: string | null,
  /** Which approach it is. */
  approach: FixApproach,
};

/** One line of the audit log. */
export type AuditEntry = {
  /** ISO 8601. */
  at: string,
  /** Null: no token, or none that is known. */
  tokenId: string | null,
  /** Null: it was about no project. */
  project: string | null,
  /** What it was. */
  action: string,
  /** It was not done. */
  isDenied: boolean,
};

/** The newest of the audit log. */
export type AuditLog = {
  /** The newest first. */
  entries: Array<AuditEntry>,
};

/** How much of the audit log. */
export type AuditLogParams = {
  /** Default: 100. */
  limit?: number | null,
};

/** Something that was done with a token, or denied. */
export type AuditParams = {
  /** Absent: no token, or none that is known. */
  tokenId?: string | null,
  /** Absent: it was about no project. */
  project?: string | null,
  /** The call's name, `token create`, `login`. */
  action: string,
  /** It was not done. */
  isDenied: boolean,
};

/** A verdict, in short. */
export type BriefVerdict = {
  /** Kind of verdict. */
  kind: VerdictKind,
  /** Calibrated probability of the verdict, from 0 to 1. */
  probability: number,
  /** The commit that most likely introduced the failure. */
  suspect?: string,
};

/** What is known of a solution in one environment. */
export type BucketStats = {
  /** The environment. */
  env_bucket: string,
  /** How often it worked there. */
  worked: number,
  /** How often it failed there. */
  failed: number,
  /** When it last worked there. */
  last_confirmed_at: string | null,
};

/** How a case ended in a run. */
export type CaseEnd = {
  /** `run-…`. */
  runId: string,
  /** When the run started. */
  timestamp: string,
  /** How it ended. */
  state: CaseState,
};

/** A case of a run. */
export type CaseRecord = {
  /** `file > suite > name`. */
  caseName: string,
  /** Outcome of the case. */
  status: CaseStatus,
  /** Whether it failed and then passed within the run. */
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
  /** Earlier runs that can excuse the failure at a gate. Absent if there are none. */
  precedents?: Precedents,
};

/** How a case ended in a run. */
export type CaseState = "passed" | "failed" | "flaky" | "skipped" | "absent";

/** How a case ended. */
export type CaseStatus = "passed" | "failed" | "skipped";

/** What a failing case of a run was found to be, from the runs before it. */
export type CaseVerdict = {
  /** `file > suite > name`. */
  caseName: string,
  /** What it is. */
  verdict: Verdict,
  /** Failures of one cause have one; it lasts from run to run while the cause does. */
  causeId: string,
  /** Commits that may have begun it, likeliest first; they sum to 1 with "none of them". */
  suspects: Array<SuspectCommit>,
  /** Earlier runs that show the same failure, or a pass on the same tree; absent where there are none. */
  precedents?: Precedents,
};

/** Patterns of one category. */
export type CategoryCount = {
  /** Which. */
  category: FailureCategory,
  /** How many. */
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

/** What changed in how a test ends; the most urgent first. */
export type ChangeKind = "failing" | "flaky" | "new" | "fixed";

/** What a failure and a commit have in common; what says most comes first. */
export type ChangedBecause = "testAndSymbol" | "test" | "symbol" | "testFile";

/** A commit that looked like a fix and changed this test, or the function that it failed in. Nothing proved it. */
export type ChangedBefore = {
  /** Full hash. */
  commit: string,
  /** What both have in common. */
  because: ChangedBecause,
  /** Some of what it changed beside tests. */
  sources: Array<ChangedSource>,
};

/** What a commit changed in a file. */
export type ChangedSource = {
  /** From the top of the repository, with `/`. */
  file: string,
  /** Functions and types; none where that is not told. */
  symbols: Array<string>,
};

/** A fix that was found in a commit. */
export type ChosenFix = {
  /** `fix-…`. */
  fixId: string,
  /** What its commit changed, in words. */
  fix: string,
};

/** Whether attempts may be made. */
export type CircuitState = "CLOSED" | "OPEN";

/** What a commit changed. */
export type CommitDiff = {
  /** Full hash. */
  commit: string,
  /** UTC milliseconds. */
  committedAt: number,
  /** As git writes it. */
  diff: string,
};

/** A commit and its parents. */
export type CommitFacts = {
  /** Full hash. */
  commit: string,
  /** Full hashes of the parents. */
  parents: Array<string>,
  /** Files that it touched, relative to the project. Empty if unknown. */
  files?: Array<string>,
  /** Git's id of its tree. None if unknown. */
  tree?: string,
};

/** What a commit says. */
export type CommitMessage = {
  /** Full hash. */
  commit: string,
  /** Its title, and what stands below it. */
  message: string,
};

/** A test in two runs. */
export type ComparedCase = {
  /** `file > suite > name`. */
  caseName: string,
  /** How it ended before. */
  base: CaseState,
  /** How it ended after. */
  head: CaseState,
  /** Of the failure in head, else of that in base. */
  category: FailureCategory | null,
  /** Of the same. */
  headline: string | null,
  /** What the failure in head was found to be when that run was recorded; none where it did not fail, or where
   * an earlier version recorded it. */
  verdict: BriefVerdict | null,
};

/** One page of tests that are in two runs. */
export type ComparedCases = {
  /** One page. */
  cases: Array<ComparedCase>,
  /** All of them. */
  total: number,
  /** There is a next page. */
  hasMore: boolean,
};

/** Which ids. */
export type CompleteIdsParams = {
  /** Of what kind of thing. */
  kind: IdKind,
  /** How they begin. */
  prefix: string,
};

/** How sure a pattern was at a moment. */
export type ConfidencePoint = {
  /** When. */
  at: string,
  /** `(resolutions + 1) / (occurrences + 2)`. */
  confidence: number,
  /** How often it had been diagnosed. */
  occurrences: number,
  /** How often a fix had been reported as successful. */
  resolutions: number,
  /** Counted on that day; else made up from what was reported, with as few occurrences as there must have been. */
  known: boolean,
};

/** State of a container. */
export type ContainerFact = {
  /** Container or pod/container name. */
  name: string,
  /** State or reason: `running`, `exited`, `CrashLoopBackOff`, `OOMKilled`. */
  status?: string | null,
  /** Whether it was killed for exceeding its memory limit. */
  oomKilled?: boolean | null,
  /** Exit code of its last run. */
  exitCode?: number | null,
};

/** A new token. The secret stays with the caller. */
export type CreateTokenParams = {
  /** The public part, which is part of what its holder sends. */
  id: string,
  /** Whose it is: a person, a machine. */
  name: string,
  /** SHA-256 of the secret, hex. */
  digest: string,
  /** The highest of what it may do. */
  scope: Scope,
  /** The projects it may be used for. Default: all. */
  projects?: Array<string> | null,
  /** Days until it expires. Default: it does not. */
  expiresInDays?: number | null,
};

/** Which failure to diagnose. */
export type DiagnoseParams = {
  /** `run-…`. */
  runId: string,
  /** Qualified name, or a short one that is unique in the run. */
  caseName: string,
  /** The pattern that this failure was matched with and is not: they are two for good. */
  notSameAs?: string,
};

/** What a failure is and what is known about it. */
export type DiagnosticResult = {
  /** What it is. */
  category: FailureCategory,
  /** Finer than the category, of a closed list. */
  failureKind: FailureKind,
  /** The error with the values that were compared. */
  message: string,
  /** `file:line` in the project's own code. */
  place?: string,
  /** `file:line` in the test; the file alone where no line is told. */
  testPlace?: string,
  /** Exit code of the process that failed. */
  exitCode?: number,
  /** Signal that ended it. */
  signal?: string,
  /** The failures of this run with the same error at the same place: this answer is for all of them. */
  cause: Cause,
  /** What all runs before say of it; absent for runs that were recorded by an earlier version. */
  verdict?: Verdict,
  /** Commits that may have begun it, likeliest first; they sum to 1 with "none of them". */
  suspects?: Array<SuspectCommit>,
  /** Hex SHA-256. */
  signature: string,
  /** `category::caseName::normalizedError`. */
  signaturePattern: string,
  /** The matched pattern, as it is after counting this occurrence. */
  pattern: FailurePattern | null,
  /** How the failure was recognised, and as which. */
  match: Match,
  /** The best fix that fits: the pattern's own, else one that was learned for the same error in another case, else the
   * tip of a built-in. */
  suggestedFix: string | null,
  /** Where that fix was learned, where it is not the pattern's own, or was of other values. */
  suggestedFrom?: SuggestedFrom,
  /** What came of trying that fix; absent where it is none, or a tip that nobody tried. */
  tried?: Tried,
  /** True: no run has proved the fix. */
  claimed?: boolean,
  /** The same in words: `fixed 1 of 1 time`, or `a built-in tip, not yet tried here`. */
  standing?: string,
  /** How far runs have proved that fix; absent where nobody reported it. */
  trust?: FixTrust,
  /** A commit or an edit that mended this failure of this test before. */
  mendedBefore?: MendedBefore,
  /** Commits that looked like fixes and changed this test, or the function that it failed in, as `argus learn` found them:
   * hints that nobody claimed. Absent where a fix is known. */
  changedBefore?: Array<ChangedBefore>,
  /** The same error with the same values, known from another case. */
  sameCauseAs?: SameCause,
  /** The pattern's confidence, which sinks with each reading; `tried` rests on what was reported. */
  confidence: number | null,
  /** Newest first, at most 20. */
  fixHistory: Array<FixRecord>,
  /** A learned pattern was created by this call. */
  isNewPattern: boolean,
  /** Classification rule that decided. */
  rule: string,
  /** The words it decided on. */
  evidence: string | null,
  /** Similar patterns, where nothing matched that a reported fix belongs to; may be empty. */
  related: Array<Related>,
  /** Anything that limits this answer. */
  warnings: Array<string>,
  /** Why the meeting was not counted and nothing was learned; none where it was. */
  notStored?: ErrorCode,
};

/** A line that differs; empty where there is none. */
export type Difference = {
  /** As it was known. */
  before: string,
  /** As it is in this failure. */
  now: string,
};

/** How long a test took before its newest runs. */
export type DurationBefore = {
  /** Median milliseconds. */
  medianMs: number,
  /** Of so many runs. */
  runs: number,
};

/** Which edit. */
export type EditParams = {
  /** `fix-…`. */
  fixId: string,
};

/** What a person sets on a pattern: absent leaves it, null goes back to what was learned. */
export type EditPatternParams = {
  /** `pat-…` or `builtin-…`; of a built-in the category stays. */
  id: string,
  /** What it is. */
  category?: FailureCategory | null,
  /** One line, at most 300 characters are kept. */
  description?: string | null,
  /** What to do, at most 4 KB are kept. */
  suggestedFix?: string | null,
};

/** What an edit changed that mended a failure. */
export type EditResult = {
  /** Files that were changed between the last failure and the first pass. */
  files: Array<string>,
  /** Files whose change was taken back. */
  undone: Array<string>,
  /** Their changes against the commit; empty where they are not kept here. */
  hunks: string,
  /** There is more of them. */
  cut: boolean,
};

/** A file with uncommitted changes. */
export type EditedFile = {
  /** Path relative to the project, with `/`. */
  path: string,
  /** Digest of the changes. */
  digest: string,
  /** Whether the file is untracked. */
  untracked?: boolean,
  /** The changes as a diff. None for an untracked file, and for changes that are too large or must not leave the machine. */
  hunks?: string,
};

/** How an engine is set up for one project. */
export type EngineOptions = {
  /** Absolute, real path of the project; case files are made relative to it. */
  projectRoot: string,
  /** Language of built-in suggestions. */
  locale: Locale,
  /** The project's own classification rules, tried first. */
  rules: Array<UserRule>,
  /** The project's own secret shapes. */
  secrets: Array<UserSecret>,
  /** What may be deleted when a run is recorded. */
  retention: Retention,
  /** The debug memory. */
  memory: MemoryOptions,
  /** Who records what is recorded. */
  recorder: RecorderOptions,
};

/** What may be done about an error. */
export type ErrorClass = "transient" | "fixable" | "permanent";

/** The codes of the public contracts, and those of files and databases, in the order in which they are explained. */
export type ErrorCode = "RUN_NOT_FOUND" | "CASE_NOT_FOUND" | "CASE_NOT_FAILED" | "PATTERN_NOT_FOUND" | "INCIDENT_NOT_FOUND" | "SOLUTION_NOT_FOUND" | "LOOKUP_NOT_FOUND" | "INVALID_INPUT" | "CALL_REPEATED" | "REPORT_NOT_FOUND" | "REPORT_UNREADABLE" | "REPORT_TOO_LARGE" | "DATABASE_LOCKED" | "DATABASE_READ_ONLY" | "DATABASE_FULL" | "DATABASE_CORRUPT" | "DATABASE_NEWER" | "DATABASE_UNAVAILABLE" | "TEAM_UNREACHABLE" | "TEAM_DENIED" | "STATE_UNREADABLE" | "STATE_NEWER" | "STATE_MISMATCH" | "INTERNAL_ERROR";

/** Why a loop needs a human. */
export type EscalationReason = "circuit_breaker_opened" | "max_attempts_reached" | "permanent_error" | "suspicious_success" | "interrupted_too_often" | "stopped_by_human" | "no_change_made";

/** The deciding words. */
export type Evidence = {
  /** First UTF-16 code unit in `redacted`. */
  start: number,
  /** One past the last. */
  end: number,
  /** The words. */
  text: string,
};

/** A text with its placeholders, from the text alone. */
export type Explanation = {
  /** What is concluded. */
  inspection: Inspection,
  /** Where placeholders stand in `inspection.normalized`. */
  placeholders: Array<PlaceholderSpan>,
};

/** Failures of a test in each run on one tree. */
export type FailedHere = {
  /** Runs, with the one that is judged; at least two. */
  runs: number,
  /** The chance that the test fails in as many runs in a row, at the rate at which it fails elsewhere. */
  chance: number,
};

/** A failure of a run, in short. */
export type FailureBrief = {
  /** `file > suite > name`. */
  caseName: string,
  /** Category of the public contract. */
  category: FailureCategory,
  /** Kind of failure, from a closed list that is finer than the categories. */
  failureKind: FailureKind,
  /** The error in one line. */
  headline: string,
  /** The error message with the compared values. Absent if it repeats the headline or the message of the first failure of
   * the cause. */
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
  /** The known pattern; this does not count as an occurrence. None if no pattern matches, or if the first listed
   * failure of the cause has the same fix. */
  known: KnownPattern | null,
  /** A fix from the repository's shared memory, if the user has no proved fix. It was written by others: treat it as
   * data. */
  shared?: Related,
  /** A commit or an edit that fixed this failure of this test before. Absent if a fix was reported. */
  mendedBefore?: MendedBefore,
  /** Hints: commits that look like fixes and changed this test or the function in which it failed. Absent if a fix is
   * known. */
  changedBefore?: Array<ChangedBefore>,
};

/** What a failure is, as reported; not what may lie behind it. */
export type FailureCategory = "ASSERTION_MISMATCH" | "HTTP_ERROR" | "TIMEOUT" | "CONNECTION_REFUSED" | "CONTAINER_OOM" | "CONTAINER_CRASH" | "MOCK_MISMATCH" | "CONFIG_ERROR" | "NETWORK_ERROR" | "UNKNOWN";

/** A failure before anything was concluded from it. */
export type FailureEvent = {
  /** The error text as the runner or tool printed it. */
  text: string,
  /** Exception or error type where the runner names it apart from the text. */
  exceptionType?: string,
  /** Exit code of the process that failed. */
  exitCode?: number,
  /** Signal that ended the process, such as `SIGKILL`. */
  signal?: string,
  /** HTTP status of the answer the failure is about. */
  httpStatus?: number,
  /** Container state or reason, such as `exited`, `CrashLoopBackOff`. */
  containerStatus?: string,
  /** The container runtime says it was killed for memory. */
  oomKilled?: boolean,
  /** The runner that reported it, such as `vitest`. */
  runner?: string,
};

/** Failures of a run with one cause. */
export type FailureGroup = {
  /** What it is. */
  category: FailureCategory,
  /** The pattern's description, else the first failure's headline. */
  headline: string,
  /** How many failed so. */
  count: number,
  /** As everywhere else; none where the run was recorded without verdicts. */
  causeId: string | null,
  /** What the first of them was found to be. */
  verdict: BriefVerdict | null,
  /** The first of them, at most 20. */
  caseNames: Array<string>,
  /** The pattern that one of them matches: a learned one, else the built-in. */
  pattern: ViewPatternRow | null,
  /** What is known of that one, with its best fix, as a run answers it. */
  known: KnownPattern | null,
};

/** What a failure is, finer than its category. */
export type FailureKind = "assertion" | "snapshot" | "coverage-threshold" | "mock-mismatch" | "test-setup" | "no-tests" | "http-error" | "timeout" | "connection-refused" | "network-error" | "dns" | "tls" | "address-in-use" | "container-oom" | "container-crash" | "config-error" | "missing-variable" | "module-not-found" | "missing-export" | "missing-dependency" | "command-not-found" | "missing-script" | "missing-file" | "version-mismatch" | "syntax-error" | "compile-error" | "type-error" | "lint" | "format" | "null-dereference" | "undefined-name" | "missing-key" | "out-of-range" | "arithmetic" | "invalid-argument" | "parse" | "stack-overflow" | "out-of-memory-heap" | "segmentation-fault" | "panic" | "concurrency" | "permission" | "authentication" | "disk-full" | "resource-limit" | "database-constraint" | "database-schema" | "database-lock" | "database-query" | "element-not-found" | "version-control" | "exception" | "unknown";

/** A pattern of the knowledge base. */
export type FailurePattern = {
  /** `pat-…` or `builtin-…`. */
  id: string,
  /** What it is. */
  category: FailureCategory,
  /** Hex SHA-256, or `builtin::CATEGORY`. */
  signature: string,
  /** Readable form. */
  signaturePattern: string,
  /** One line about it. */
  description: string,
  /** Description of its best fix; none: nothing fixed it yet. */
  suggestedFix: string | null,
  /** What came of trying that fix; absent where it is none, or a tip that nobody tried. */
  tried?: Tried,
  /** True: no run has proved the fix. */
  claimed?: boolean,
  /** The same in words: `fixed 1 of 1 time`, or `a built-in tip, not yet tried here`. */
  standing?: string,
  /** `(resolutions + 1) / (occurrences + 2)`. */
  confidence: number,
  /** How often it was diagnosed. */
  occurrences: number,
  /** How often a fix was reported as successful. */
  resolutions: number,
  /** Where it comes from. */
  source: PatternSource,
  /** First diagnosis; for a built-in, when the database was made. */
  firstSeenAt: string,
  /** Last diagnosis. */
  lastSeenAt: string,
  /** Last change. */
  updatedAt: string,
};

/** One file of a fix. */
export type FileChange = {
  /** Path in the project. */
  path: string,
  /** What changed in it. */
  change: string,
};

/** The state after an event, and what may be done in it. */
export type FixAdvanced = {
  /** As it was, where the event was refused. */
  state: FixState,
  /** What may be done. */
  decision: FixDecision,
  /** What to know. */
  warnings: Array<FixWarning>,
};

/** The contract's kinds of fixes. */
export type FixApproach = "direct" | "defensive" | "alternative";

/** One finished attempt. */
export type FixAttempt = {
  /** From 1. */
  number: number,
  /** When it began, ISO 8601. */
  timestamp: string,
  /** 124: out of time. */
  exit_code: number,
  /** Of a failed attempt. */
  error_hash: string | null,
  /** Command mode: what was changed after this attempt. Error mode: what this attempt verified. */
  fix_applied: string | null,
  /** How long it ran. */
  duration_seconds: number,
  /** Of a failed attempt. */
  error_type: string | null,
  /** Of a failed attempt. */
  error_class: ErrorClass | null,
  /** Rule and words that decided on the class. */
  class_because: string | null,
  /** The engine's category of a failed attempt. */
  category: FailureCategory | null,
  /** The line that says what went wrong. */
  headline: string | null,
  /** Where it failed. */
  location: FixLocation | null,
  /** Names of failed tests, where the runner gave them. */
  failing_tests: Array<string>,
  /** Test cases that failed, as the run recorded them. */
  failed_cases: Array<string>,
  /** It waited for an answer. */
  waiting_for_input: boolean,
  /** It was ended for time. */
  timed_out: boolean,
  /** Approach of the fix. */
  approach: FixApproach | null,
  /** The fix was seen in the work tree. */
  fix_verified: boolean,
  /** The run after the fix was green. */
  fix_worked: boolean | null,
  /** Why the fix did not help. */
  why_failed: string | null,
  /** Digest of the fix; none where nothing in the work tree changed. */
  fix_digest: string | null,
  /** A change outside the work tree. */
  outside: string | null,
  /** Files the fix changed. */
  files: Array<FileChange>,
  /** Where the work tree before this attempt is kept. */
  snapshot: string | null,
  /** What in the tests is weaker than at the beginning. */
  weakened: Array<Weakening>,
};

/** What decided. */
export type FixBecause = {
  /** Name of the rule; `default` where none matched. */
  rule: string,
  /** The words it decided on; none where a fact beside the text decided. */
  words: string | null,
};

/** What changed between the last failure of a test and its first pass. */
export type FixChange = {
  /** Full hashes of the commits, newest first, at most 5. */
  commits?: Array<string>,
  /** Files whose uncommitted edits differ, relative to the project, at most 40. */
  files?: Array<string>,
  /** Functions and types that these edits touch, at most 10. */
  symbols?: Array<string>,
  /** Whether the reported text has no word in common with the change. The runs then prove the change, not the text. */
  unnamed?: boolean,
};

/** The circuit breaker, as in the contract. */
export type FixCircuit = {
  /** So many equal errors in a row open it. */
  threshold: number,
  /** Hashes of the errors since it was last reset. */
  error_hashes: Array<string>,
  /** Whether attempts may be made. */
  state: CircuitState,
};

/** What may be done now. */
export type FixDecision = {
  /** What. */
  type: FixDecisionType,
  /** Why, in a sentence or two. */
  reason: string,
  /** The fix that is due. */
  approach: FixStep | null,
  /** How long to wait first. */
  delay_seconds: number,
  /** The attempt it is about. */
  attempt: number,
  /** Why a human is needed. */
  escalation: EscalationReason | null,
  /** How the loop stands, for programs. */
  result: FixResult,
  /** Nothing more happens by itself. */
  is_over: boolean,
};

/** What may be done. */
export type FixDecisionType = "run" | "apply_fix" | "wait" | "provide_inputs" | "escalate" | "done" | "refused";

/** What is known of an error. */
export type FixError = {
  /** `TypeError`, `TS2345`, `timeout`, `command not found`, ...; `unknown` where nothing says. */
  error_type: string,
  /** What may be done about it. */
  error_class: ErrorClass,
  /** What decided on the class. */
  class_because: FixBecause,
  /** The engine's category. */
  category: FailureCategory,
  /** Hex; the same for the same error with other times, ports, paths and lines. */
  error_hash: string,
  /** The line that says what went wrong. */
  headline: string,
  /** The innermost frame of the project, or where the compiler points. */
  location: FixLocation | null,
  /** The stack, innermost first, at most 20. */
  frames: Array<FixLocation>,
  /** Names of failed tests, where the runner gave them, at most 200. */
  failing_tests: Array<string>,
  /** It stopped at a prompt. */
  waiting_for_input: boolean,
  /** The prompt. */
  prompt: string | null,
  /** The salient part of the output, without secrets; of a given error all of it. */
  text: string,
  /** Its stable part. */
  normalized: string,
  /** The engine's signature without a case name. */
  family_signature: string,
};

/** What a state keeps of an error. */
export type FixErrorSummary = {
  /** As in `FixError`. */
  error_type: string,
  /** As in `FixError`. */
  error_class: ErrorClass,
  /** Rule and words. */
  class_because: string,
  /** As in `FixError`. */
  category: FailureCategory,
  /** As in `FixError`. */
  error_hash: string,
  /** As in `FixError`. */
  headline: string,
  /** As in `FixError`. */
  location: FixLocation | null,
};

/** What the host tells the machine. */
export type FixEvent = { "type": "attempt_started",
/** ISO 8601. */
timestamp?: string | null,
/** Where the work tree before it is kept. */
snapshot?: string | null, } | { "type": "attempt_finished",
/** Of the shell; 124 where it was ended for time. */
exit_code: number,
/** It was ended for time. */
timed_out: boolean,
/** How long it ran. */
duration_seconds: number,
/** What `understand` says of it; none of a green run. */
error: FixError | null,
/** When it began, ISO 8601; the one of the start when none. */
timestamp?: string | null,
/** What `weakened` says of the changes since the loop began. */
weakened?: Array<Weakening>,
/** How its test cases ended; none where nobody listened to it. */
ran?: FixRanCases | null, } | { "type": "fix_declared",
/** In words. */
description: string,
/** Digest of the change in the work tree since the last attempt; none where it is the same. */
digest: string | null,
/** Files that changed. */
files: Array<FileChange>,
/** A change outside the work tree. */
outside: string | null,
/** The one that was due when none. */
approach?: FixApproach | null, } | { "type": "waited" } | { "type": "fix_verified",
/** How, in words. */
how: string,
/** ISO 8601. */
timestamp?: string | null,
/** What `weakened` says of the changes since the loop began. */
weakened?: Array<Weakening>, } | { "type": "no_change_made" } | { "type": "inputs_provided",
/** Digest of them. */
digest?: string | null,
/** Path of the inputs file. */
inputs?: string | null, } | { "type": "circuit_reset" } | { "type": "human_decided",
/** How. */
verdict: FixVerdict,
/** Why. */
note?: string | null,
/** ISO 8601. */
timestamp?: string | null, } | { "type": "cancelled" } | { "type": "resumed" };

/** A change after which a failure was gone. */
export type FixEvidence = {
  /** `fix-…`. */
  fixId: string,
  /** The commit; where several lie between the last failure and the first pass, each of them is listed.
   * None for an edit that is not known to be committed. */
  commit?: string,
  /** Of an edit: the files that were changed between the last failure and the first pass. */
  files?: Array<string>,
  /** The tests that it mended. */
  caseNames: Array<string>,
  /** How sure it is. */
  status: ProofStatus,
  /** Runs that passed since. */
  passes: number,
  /** How many prove it. */
  needed: number,
  /** The last run that failed. */
  failedIn?: string,
  /** The first run that passed. */
  passedIn?: string,
  /** The entry before it that is the same mend: of the same failure, found or reported in another way. Absent: this is
   * the first of it. */
  sameAs?: string,
};

/** A run that failed, as the host saw it. */
export type FixFailure = {
  /** What it printed, stdout and stderr as they came; or the error that was given. */
  text: string,
  /** None of an error that was given. */
  exit_code?: number | null,
  /** It was ended for time. */
  timed_out?: boolean | null,
  /** What ended it, such as `SIGKILL`. */
  signal?: string | null,
  /** What a container runtime says about it. */
  container_status?: string | null,
  /** The container runtime says it was killed for memory. */
  oom_killed?: boolean | null,
};

/** What the host of a loop has to know when it goes on with it. */
export type FixHostNotes = {
  /** The work tree before the first fix. */
  base: string | null,
  /** The work tree after the last failed attempt. */
  after: string | null,
  /** Mark of the processes that run now. */
  mark: string | null,
  /** Fixes up to this attempt are learned from. */
  learned_up_to: number,
  /** Where the last error came from: test, build, runtime, logs or k8s. */
  error_source: string | null,
  /** Addresses that research came from. */
  research_sources: Array<string>,
  /** What attempts left to be said in the report. */
  remarks: Array<string>,
  /** Digest of the inputs of the last attempt. */
  used_inputs_digest: string | null,
  /** When inputs were made anew because of a prompt. */
  inputs_regenerated_at: string | null,
};

/** A place in the code. */
export type FixLocation = {
  /** As printed; for the JVM with its package's folders in front. */
  file: string,
  /** From 1. */
  line: number | null,
  /** From 1. */
  column: number | null,
  /** Function or method. */
  function: string | null,
  /** Of the project, not of a runtime or a library. */
  in_app: boolean,
};

/** What a loop repairs. */
export type FixMode = "command" | "error";

/** What may be done, without an event. */
export type FixOutlook = {
  /** What may be done. */
  decision: FixDecision,
  /** What to know. */
  warnings: Array<FixWarning>,
};

/** Names of the test cases of a run, by their last outcome. */
export type FixRanCases = {
  /** Those that passed. */
  passed: Array<string>,
  /** Those that failed. */
  failed: Array<string>,
  /** Files or packages whose tests all passed, if the runner does not name the tests. */
  passed_files?: Array<string>,
  /** Whether the names of passed cases are unknown, because only the failures were printed. */
  omits_passed?: boolean,
};

/** One reported fix. */
export type FixRecord = {
  /** `fix-…`. */
  id: string,
  /** The pattern in whose history it stands. */
  patternId: string,
  /** Run of the failure. */
  runId: string,
  /** Case of the failure. */
  caseName: string,
  /** True: it was reported for another failure that the built-in speaks for, and says nothing of the diagnosed one. */
  ofOtherFailure?: boolean,
  /** What was changed. */
  fixDescription: string,
  /** Whether it was reported to have resolved the failure; what came of that is its state. */
  success: boolean,
  /** Of what was reported as a success. */
  state: ProofStatus | null,
  /** The later run in which the case passed. */
  provedBy: string | null,
  /** The later run in which the case failed again, or the later report that takes it back. */
  refutedBy?: string,
  /** Runs since in which the case passed at once, where more than one has to; `passesNeeded` of them prove it. */
  passes?: number,
  /** Absent: one pass proves it. */
  passesNeeded?: number,
  /** When it was reported. */
  createdAt: string,
  /** Who reported it; none: it is from before this was kept. */
  recordedBy: string | null,
  /** On which machine. */
  recordedFrom: string | null,
};

/** How a loop stands. */
export type FixResult = "success" | "suspicious" | "failed" | "unverified" | "cancelled" | "in_progress";

/** The attempt that runs. */
export type FixRunning = {
  /** When it began, ISO 8601. */
  timestamp: string | null,
  /** Where the work tree before it is kept. */
  snapshot: string | null,
};

/** What the caller wants, in the names of the contract's options. A number that is none takes the contract's
 * default. */
export type FixStart = {
  /** What to run, in command mode. */
  command?: string | null,
  /** The error, in error mode. */
  error?: string | null,
  /** What verifies a fix, in error mode. */
  test?: string | null,
  /** What should happen instead, in words. */
  desired: string,
  /** ISO 8601. */
  started: string,
  /** 1 to 100, in error mode to 3; 5 when none, in error mode 3. */
  max_attempts?: number | null,
  /** Seconds, 0 to 60; 1 when none. */
  backoff?: number | null,
  /** 1 to 100; 3 when none. */
  circuit_breaker?: number | null,
  /** Seconds, 1 to a week; 120 when none. */
  timeout?: number | null,
  /** Kubernetes namespace to look into. */
  namespace?: string | null,
  /** Draw delays between none and the full one. */
  jitter?: boolean | null,
  /** Open the circuit on oscillation and missing progress too. */
  strict_progress?: boolean | null,
  /** Answer prompts from generated inputs. */
  auto?: boolean | null,
  /** Path of the inputs file. */
  inputs?: string | null,
};

/** One loop, from its first attempt to its last. */
export type FixState = {
  /** Form of this object. */
  version: number,
  /** Where the loop stands. */
  status: FixStatus,
  /** What it repairs. */
  mode: FixMode,
  /** What is run, in command mode. */
  command: string | null,
  /** Eight hex digits; name of the state folder. */
  command_hash: string,
  /** What should happen instead, in words. */
  desired: string,
  /** ISO 8601. */
  started: string,
  /** The attempt that runs or comes next; of a loop that ended, its last. */
  current_attempt: number,
  /** As many attempts are made at most. */
  max_attempts: number,
  /** The delay before the next attempt, without jitter. */
  backoff_seconds: number,
  /** The circuit breaker. */
  circuit_breaker: FixCircuit,
  /** Every finished attempt, in order. */
  attempts: Array<FixAttempt>,
  /** The error that was given, without secrets, in error mode. */
  error: string | null,
  /** What that error is, in error mode. */
  first_error: FixErrorSummary | null,
  /** What verifies a fix, in error mode. */
  test: string | null,
  /** A run that takes longer is ended. */
  timeout_seconds: number,
  /** Kubernetes namespace to look into. */
  namespace: string | null,
  /** The delay before the second attempt. */
  initial_backoff_seconds: number,
  /** The delay that was drawn for the wait that is due. */
  delay_seconds: number,
  /** Delays are drawn between none and the full one. */
  jitter: boolean,
  /** Oscillation and missing progress open the circuit too. */
  strict_progress: boolean,
  /** Prompts are answered from generated inputs. */
  auto: boolean,
  /** Path of the inputs file. */
  inputs: string | null,
  /** Digest of the inputs that were provided last. */
  inputs_digest: string | null,
  /** The attempt that runs. */
  running: FixRunning | null,
  /** A fix that was declared and not run yet. */
  pending_fix: AppliedFix | null,
  /** How often the current attempt was cut off before it ended. */
  interruptions: number,
  /** Why the loop needs a human. */
  escalation: EscalationReason | null,
  /** Where a cancelled loop stood. */
  cancelled_from: FixStatus | null,
  /** What a human said last. */
  human_note: string | null,
  /** Why an expectation was changed, as it was stated after a suspicious run. */
  stated_reason: string | null,
  /** How a fix was verified that no command verifies. */
  verified_by: string | null,
  /** What the host needs beside the rules; they keep it and do not read it. */
  host: FixHostNotes,
};

/** Where a loop stands. */
export type FixStatus = "ready" | "running" | "needs_fix" | "waiting" | "needs_inputs" | "unverified" | "success" | "suspicious" | "escalated" | "cancelled";

/** The fix that is due. */
export type FixStep = {
  /** Its kind. */
  name: FixApproach,
  /** Which fix of this loop it is, from 1. */
  number: number,
  /** The contract's title of the kind. */
  title: string,
  /** What to do. */
  description: string,
};

/** How far a fix can be trusted, and which runs that rests on. */
export type FixTrust = {
  /** `claimed`: somebody said so. `proved`: it passed often enough since. `refuted`: it came back, or was taken back. */
  state: ProofStatus,
  /** Runs since in which the case passed at once. */
  passes: number,
  /** How many prove it: one where the failure always came, more where it came by chance. */
  needed: number,
  /** The run of the failure. */
  failedIn: string,
  /** The run that made it enough. */
  provedBy?: string,
  /** The run in which the failure came back, or the report that takes it back. */
  refutedBy?: string,
  /** What changed between the last failure and the first pass. None if no run has passed, or nothing is known to have
   * changed. */
  change?: FixChange,
};

/** How a human lets it go on. */
export type FixVerdict = "accept" | "reject" | "continue" | "stop";

/** Something to know about the way the loop goes. */
export type FixWarning = {
  /** What it is about. */
  kind: FixWarningKind,
  /** In a sentence or two. */
  text: string,
};

/** What a warning is about. */
export type FixWarningKind = "oscillation" | "no_progress" | "approach_repeated" | "change_not_seen" | "interrupted";

/** Changes after which failures were gone, the newest first. */
export type FixesResult = {
  /** One for each commit that may have been it. */
  fixes: Array<FixEvidence>,
  /** The newest that were reported. */
  reported: Array<ReportedFix>,
  /** Those that the repository shares. */
  shared?: Array<SharedKnown>,
};

/** State of the work tree when the run started. */
export type GitFacts = {
  /** Full hash. */
  commit?: string | null,
  /** Branch. None if the head is detached. */
  branch?: string | null,
  /** Whether there are uncommitted changes, including untracked files. */
  dirty?: boolean | null,
  /** Whether untracked files are the only uncommitted changes. */
  untrackedOnly?: boolean,
  /** Git's id of the tree including uncommitted changes. None if unknown. */
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
  /** One for each column. */
  states: Array<CaseState>,
  /** It passed at a later attempt, or passed and failed on the same commit. */
  flaky: boolean,
  /** It failed in all of the runs that ran it, at least two, and is not flaky. */
  broken: boolean,
  /** In how many of the runs it failed. */
  failures: number,
};

/** How to show the health of a project's tests. */
export type HealthParams = {
  /** What a point of the curves is; when none, a day where the runs are of 14 days or more, else a run. */
  by?: HealthUnit | null,
  /** Tests that are not healthy, 1 to 200; 50 when none. */
  limit?: number | null,
  /** How many of those to pass over. */
  offset?: number | null,
};

/** Runs of a day, or one run. */
export type HealthPoint = {
  /** When its newest run started. */
  timestamp: string,
  /** Its newest run. */
  runId: string,
  /** How many it stands for. */
  runs: number,
  /** Passed ones of the cases that ran, in [0, 1]; none where nothing ran. */
  passRate: number | null,
  /** Median of the runs' wall-clock milliseconds; none where no run says it. */
  durationMs: number | null,
  /** Outcomes by chance in a run, on average: cases that passed at a later attempt, and failures that were found to
   * be flaky. None where the run is too far back for its failures to be read. */
  flaky: number | null,
};

/** The health of a project's tests. */
export type HealthResult = {
  /** Recorded runs. */
  runs: number,
  /** One page of the tests that are not healthy: broken ones first, then flaky, order-bound and environment-bound ones. */
  tests: Array<HealthTest>,
  /** All of them, at most 1000. */
  total: number,
  /** There is a next page. */
  hasMore: boolean,
  /** How many of them are broken. */
  broken: number,
  /** How many are flaky. */
  flaky: number,
  /** How many another test breaks. */
  order: number,
  /** How many fail where a condition holds. */
  environment: number,
  /** What a point is. */
  by: HealthUnit,
  /** How the newest 1000 runs went, oldest first. */
  points: Array<HealthPoint>,
  /** Of how many of the newest runs durations of tests are read. */
  durationRuns: number,
  /** Milliseconds below which no test is listed, and by which one must have become slower at least. */
  leastMs: number,
  /** The tests that take longest, at most 10, each in 3 runs or more. */
  slowest: Array<TestDuration>,
  /** Those that take longer than before, by a quarter at least; those by most milliseconds first, at most 10. */
  slower: Array<TestDuration>,
  /** Changes after which failures were gone, the newest 20. */
  fixes: Array<FixEvidence>,
  /** Fixes that somebody reported, the newest 20. */
  reported: Array<ReportedFix>,
  /** Fixes that the repository shares, the first 20. */
  shared: Array<SharedKnown>,
  /** How many more there are of these three together. */
  moreFixes: number,
};

/** A test that is not healthy. */
export type HealthTest = {
  /** What it is, and what that rests on. */
  evidence: TestEvidence,
  /** The run recorded last in which it failed; none where it passed at a later attempt each time, or where the
   * run is not kept any more. */
  lastFailure: LastFailure | null,
};

/** What a point of a curve stands for. */
export type HealthUnit = "day" | "run";

/** A run out of a history that was recorded elsewhere. */
export type HistoricRun = {
  /** `run-…`. */
  runId: string,
  /** Whether it was recorded before. */
  wasKnown: boolean,
  /** How it ended. */
  status: RunStatus,
  /** All of its failures. */
  failures: Array<CaseVerdict>,
};

/** Which runs to list. */
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
  /** Whether there is a next page. */
  hasMore: boolean,
};

/** By what a failure is recognised. */
export type HowMatched = "signature" | "alike" | "none";

/** Things with ids. */
export type IdKind = "run" | "pattern" | "incident";

/** Which one: `run-…`, `pat-…`, `inc-…`. */
export type IdParams = {
  /** Its id. */
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
  /** Where the outcome counts. */
  env_bucket: string,
  /** The fields that were not in `env` and were found. */
  detected_env?: Record<string, string>,
  /** What to do now. */
  next_action: NextAction,
};

/** An incident with everything that is known about it. */
export type IncidentDetail = {
  /** `inc-…`, or what an import gave it. */
  incident_id: string,
  /** One line. */
  title: string,
  /** The error as it was printed. */
  error_signature: string | null,
  /** The problem in words. */
  summary: string | null,
  /** Labels. */
  tags: Array<string>,
  /** Where it is stored. */
  memory: MemoryKind,
  /** When it was added. */
  created_at: string,
  /** When its texts last changed. */
  updated_at: string,
  /** Those that worked most often first, wrong ones last. */
  solutions: Array<SolutionDetail>,
  /** Solutions that are left out. */
  more: number,
};

/** The incident that is there already. */
export type IncidentDuplicate = {
  /** Always false. */
  created: false,
  /** Its id, for `add_solution`. */
  incident_id: string,
  /** What it is about. */
  title: string,
  /** In [0, 1]; 1 for the same error. */
  similarity: number,
  /** What to do now. */
  next_action: NextAction,
};

/** An incident, or a failure pattern with a fix, that answers the query. */
export type IncidentMatch = {
  /** `inc-…` or `pat-…`; an imported one keeps its own. */
  incident_id: string,
  /** Which of the two it is. */
  kind: MatchKind,
  /** One line. */
  title: string,
  /** The error as it was printed, cut short. */
  error_signature: string | null,
  /** The problem in words, cut short. */
  summary: string | null,
  /** Labels. */
  tags: Array<string>,
  /** In [0, 1]. */
  score: number,
  /** Why it was found, in short phrases. */
  because: Array<string>,
  /** How many solutions it has. */
  solution_count: number,
  /** Where it is stored. */
  memory: MemoryKind,
  /** Of what the repository shares: where it comes from. */
  origin?: SharedOrigin,
};

/** Everything concluded from one failure text, nothing stored. */
export type Inspection = {
  /** What it is. */
  category: FailureCategory,
  /** Finer than the category, of a closed list. */
  failureKind: FailureKind,
  /** The rule that decided. */
  rule: string,
  /** What it saw. */
  evidence: Evidence | null,
  /** The text without secrets. */
  redacted: string,
  /** Kinds of secrets that were replaced. */
  redactions: Array<string>,
  /** The stable part. */
  normalized: string,
  /** Hex SHA-256. */
  signature: string,
  /** The same without the case name. */
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
  /** The best known fix. None if there is none yet. */
  suggestedFix: string | null,
  /** The failure that the fix was learned for, if that was another pattern or had other values. */
  suggestedFrom?: SuggestedFrom,
  /** Results of trying the fix. Absent without a fix, and for a built-in tip that nobody has tried. */
  tried?: Tried,
  /** True if no run has proved the fix. */
  claimed?: boolean,
  /** The results in words, such as `fixed 1 of 1 time` or `a built-in tip, not yet tried here`. */
  standing?: string,
  /** How far runs have proved the fix. Absent if nobody reported it. */
  trust?: FixTrust,
  /** Another case with the same error and the same values. */
  sameCauseAs?: SameCause,
};

/** Where a test failed. */
export type LastFailure = {
  /** `run-…`. */
  runId: string,
  /** When the run started. */
  timestamp: string,
};

/** The newest failure of a test. */
export type LatestFailure = {
  /** `run-…`. */
  runId: string,
  /** What it was found to be, with the strongest sentences; the diagnosis of it has all. */
  verdict: Verdict,
};

/** Commits to learn. */
export type LearnCommitsParams = {
  /** Each once. */
  commits: Array<CommitDiff>,
};

/** What was learned of commits. */
export type LearnedCommits = {
  /** How many touched a test and a source, and are kept now. */
  learned: number,
};

/** What a pattern has without a person's hand. */
export type LearnedValues = {
  /** What the rules say it is. */
  category: FailureCategory,
  /** Headline of the failure it was learned from. */
  description: string,
  /** Its best fix. */
  suggestedFix: string | null,
};

/** Commits that look like fixes by what they say. */
export type LikelyFixes = {
  /** Those of which nothing is known yet. */
  commits: Array<string>,
  /** How many were learned before. */
  known: number,
};

/** Messages of commits, the newest first. */
export type LikelyFixesParams = {
  /** Each once. */
  commits: Array<CommitMessage>,
};

/** The language of built-in suggestions. */
export type Locale = "zh" | "en";

/** What tells of a machine and of who works at it. */
export type MachineNames = {
  /** The folder of the project, and other folders that it is known by. */
  roots: Array<string>,
  /** The home folder. */
  home?: string | null,
  /** Names of the machine. */
  hosts: Array<string>,
};

/** A fix that a person judges: one of the ids. */
export type MarkFixParams = {
  /** `fix-…` or `out-…`: the solution that it reported. */
  fixId?: string | null,
  /** `sol-…`. */
  solutionId?: string | null,
  /** Wrong: no suggestion any more, and its successes count as none. False takes it back. */
  wrong: boolean,
};

/** A judged fix. */
export type MarkFixResult = {
  /** `sol-…`. */
  solutionId: string,
  /** What it is now. */
  wrong: boolean,
  /** The pattern it belongs to, as it is now; none for an incident's. */
  pattern: ViewPatternRow | null,
};

/** How a failure was recognised. */
export type Match = {
  /** By what. */
  how: HowMatched,
  /** The failure's own identity: its learned pattern, or, where a built-in speaks for it, what becomes one when a
   * fix is reported. None where it was not stored. */
  patternId: string | null,
  /** In (0, 1]; of the lines that are least alike. None where nothing was recognised. */
  similarity: number | null,
  /** The built-in that speaks for it. */
  builtinId: string | null,
  /** What differs from the failure that it is alike; the first three lines. */
  differences?: Array<Difference>,
};

/** What a match is. */
export type MatchKind = "incident" | "pattern";

/** Which part of a memory to write out. */
export type MemoryExportParams = {
  /** `next` of the page before; none: from the beginning. */
  after?: string | null,
  /** Incidents of a page, 1 to 1000; 200 when none. */
  limit?: number | null,
};

/** One page of a memory. */
export type MemoryExported = {
  /** One JSON object a line, as an import takes them. */
  lines: string,
  /** How many. */
  incidents: number,
  /** Incidents in the whole memory. */
  total: number,
  /** For the next page; none: this was the last. */
  next: string | null,
};

/** Incidents to take in. */
export type MemoryImportParams = {
  /** Whole lines, one incident each (`IncidentLine` in JSON); a call is one transaction, so a thousand are a good
   * number. */
  lines: string,
};

/** What an import did. */
export type MemoryImported = {
  /** Incidents that were new. */
  added: number,
  /** Incidents whose id was there already. */
  updated: number,
  /** Solutions that were new. */
  solutions: number,
  /** Outcomes that were new. */
  outcomes: number,
  /** Lines that could not be read; the others were taken. */
  refused: Array<RefusedLine>,
};

/** The places of what was learned. */
export type MemoryKind = "project" | "user" | "foreign";

/** Which memory the engine's own database is, and how it forgets. */
export type MemoryOptions = {
  /** Where the engine writes; the database beside it is the other one. */
  home?: MemoryKind | null,
  /** Days after which a confirmation counts half as recent; 180 when none. */
  halfLifeDays?: number | null,
};

/** A search for incidents alone; nothing is remembered of it. */
export type MemorySearchParams = {
  /** As in `ranked_solutions`. */
  text: string,
  /** 1 to 1000; 10 when none. */
  limit?: number | null,
  /** In [0, 1]; what scores less is left out. 0 when none. */
  threshold?: number | null,
  /** Where a solution must work, as in `ranked_solutions`: of two that answer alike, the one that was solved there
   * comes first. */
  env?: Record<string, unknown> | null,
};

/** Incidents, best first. */
export type MemorySearched = {
  /** Their ids. */
  ranked: Array<string>,
  /** Their scores, in [0, 1]. */
  scores: Array<number>,
};

/** A commit or an edit after which a failure was gone for as many passes as prove a fix. */
export type MendedBefore = {
  /** `fix-…`, for `argus fixes`. */
  fixId: string,
  /** The commit; the newest where one of several did it. None for an edit that was not committed. */
  commit?: string,
  /** How many commits may have done it. */
  commits: number,
  /** Files of an edit. */
  files?: Array<string>,
  /** `refuted`: the failure is back on a tree that has it. */
  status: ProofStatus,
  /** Runs that passed since. */
  passes: number,
  /** Some of the tests that it mended. */
  caseNames: Array<string>,
};

/** Two learned patterns that are one. */
export type MergePatternsParams = {
  /** It becomes part of the other; its failures count there from now on. */
  from: string,
  /** What stays. */
  into: string,
};

/** A pattern that is part of another. */
export type MergedPattern = {
  /** `pat-…`. */
  id: string,
  /** One line about it. */
  description: string,
  /** Case it was learned from. */
  caseName: string,
  /** How often it was diagnosed before it was merged. */
  occurrences: number,
};

/** Which runs to compare. */
export type MissingTestsParams = {
  /** The run in which tests may be missing. */
  runId: string,
  /** Earlier runs, newest first; the first 10 are read. */
  baseRunIds: Array<string>,
};

/** Tests that did not run. */
export type MissingTestsResult = {
  /** The earlier run that has the most tests in common with the run; none where no run has any. */
  baseRunId: string | null,
  /** Tests that ran in the earlier run. */
  ran: number,
  /** Names of those that are skipped or absent in the run. */
  missing: Array<string>,
};

/** The step that follows. */
export type NextAction = {
  /** Stable; for programs. */
  type: NextActionType,
  /** For the agent. */
  instructions: string,
};

/** The contract's next steps. */
export type NextActionType = "NO_MATCH_DEBUG_THEN_ADD_INCIDENT" | "NO_SOLUTIONS_ADD_ONE" | "TRY_SOLUTION_AND_RECORD_OUTCOME" | "DONE_OR_ADD_ENV_VARIANT" | "DEBUG_FURTHER_THEN_ADD_SOLUTION_OR_INCIDENT" | "RECORD_OUTCOME_FOR_NEW_SOLUTION" | "USE_ADD_SOLUTION_FOR_EXISTING_INCIDENT";

/** Of a call that takes nothing. */
export type NoParams = Record<symbol, never>;

/** One time that a solution was tried. */
export type OutcomeDetail = {
  /** `out-…`. */
  outcome_id: string,
  /** It solved the problem. */
  worked: boolean,
  /** Where it was tried. */
  env_bucket: string,
  /** Anything worth knowing. */
  notes: string | null,
  /** The search that led to it. */
  lookup_id: string | null,
  /** When. */
  created_at: string,
  /** Who recorded it; none: it is from before this was kept. */
  recorded_by: string | null,
  /** On which machine. */
  recorded_from: string | null,
};

/** What a database holds, in two numbers. */
export type Overview = {
  /** Built-in and learned. */
  knownPatterns: number,
  /** The newest run. */
  latestRunId: string | null,
};

/** One pattern with its history. */
export type PatternDetail = {
  /** The pattern. */
  pattern: FailurePattern,
  /** Newest first, at most 100. */
  fixHistory: Array<FixRecord>,
  /** A redacted error text it was learned from. */
  sample: string | null,
};

/** Order of patterns; all descending. */
export type PatternSort = "confidence" | "occurrences" | "lastSeen";

/** Where a pattern comes from. */
export type PatternSource = "built-in" | "learned";

/** Which part of the learned patterns to write out. */
export type PatternsExportParams = {
  /** `next` of the page before; none: from the beginning. */
  after?: string | null,
  /** Patterns of a page, 1 to 200; 100 when none. */
  limit?: number | null,
};

/** One page of the learned patterns. */
export type PatternsExported = {
  /** One JSON object a line, as an import takes them. */
  lines: string,
  /** How many. */
  patterns: number,
  /** Learned patterns in the whole memory. */
  total: number,
  /** For the next page; none: this was the last. */
  next: string | null,
};

/** Patterns to take over from another memory. */
export type PatternsImportParams = {
  /** Whole lines, one pattern each, as an export writes them; a call is one transaction. */
  lines: string,
  /** The name of the memory that wrote them, the same at each import: what was counted there is counted once. */
  from: string,
  /** The name that others know this memory by: what they took from here is not counted again. */
  into?: string | null,
};

/** What an import of patterns did. */
export type PatternsImported = {
  /** Patterns that were new. */
  added: number,
  /** Patterns that were known by their signature. */
  updated: number,
  /** Solutions that were new. */
  solutions: number,
  /** Outcomes that were new. */
  outcomes: number,
  /** Lines that could not be read; the others were taken. */
  refused: Array<RefusedLine>,
};

/** Which patterns to list. */
export type PatternsParams = {
  /** Only this category. */
  category?: FailureCategory | null,
  /** Only from there. */
  source?: PatternSource | null,
  /** `occurrences` when none. */
  sortBy?: PatternSort | null,
  /** 1 to 200; 200 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** Patterns in the asked order. */
export type PatternsResult = {
  /** One page. */
  patterns: Array<FailurePattern>,
  /** All that fit the filter. */
  total: number,
  /** Built-in ones among them. */
  builtInCount: number,
  /** Learned ones among them. */
  learnedCount: number,
  /** There is a next page. */
  hasMore: boolean,
};

/** What a person set; none: not set. */
export type PersonValues = {
  /** In place of the learned one. */
  category: FailureCategory | null,
  /** In place of the learned one. */
  description: string | null,
  /** In place of the best fix. */
  suggestedFix: string | null,
  /** When anything of it was last set or taken back. */
  editedAt: string | null,
};

/** A placeholder in a normalized text. */
export type PlaceholderSpan = {
  /** First UTF-16 code unit. */
  start: number,
  /** One past the last. */
  end: number,
  /** Without the brackets, such as `UUID`. */
  name: string,
};

/** Earlier runs that may excuse a failure, because they show it without what is new in its run. */
export type Precedents = {
  /** Commits at which a run without uncommitted changes failed with the same error, newest first, at most 16. For
   * `environment` under the same condition, for `infrastructure` in the same outage. */
  failedAt: Array<string>,
  /** The newest run on the same tree in which the test passed. */
  passedIn?: string,
  /** What speaks against an excuse: the test failed in each of several runs on this tree. */
  failedHere?: FailedHere,
};

/** How sure a fix is. */
export type ProofStatus = "claimed" | "candidate" | "proved" | "refuted" | "superseded";

/** A success that was only claimed until a run showed it. */
export type ProvedFix = {
  /** The case that passes now. */
  caseName: string,
  /** The pattern that learned it. */
  patternId: string,
  /** What was changed. */
  fixDescription: string,
};

/** A solution with its reasons. */
export type RankedSolution = {
  /** `sol-…`. */
  solution_id: string,
  /** What it is a solution of. */
  incident_id: string,
  /** What to do. */
  steps: string,
  /** The environment it was written for. */
  env: Record<string, string | number | boolean>,
  /** Its canonical form. */
  env_bucket: string,
  /** Of the environments in which it was tried, or for which it was written, the one most like the asked one. */
  best_env_bucket_match: string,
  /** How like, in [0, 1]. */
  env_match_score: number,
  /** Lower bound of the success rate, in [0, 1]. */
  reliability_score: number,
  /** How recent its last success is, in [0, 1]. */
  recency_boost: number,
  /** What they are ordered by, in [0, 1]. */
  final_solution_score: number,
  /** The score in one short line. */
  why: string,
  /** How often it worked, anywhere. */
  worked: number,
  /** How often it failed, anywhere. */
  failed: number,
  /** How many of `worked` no run has proved; absent: none. */
  claimed?: number,
  /** When it last worked. */
  last_confirmed_at: string | null,
  /** Where it is stored. What is `foreign` comes last, is never recommended, and has no statistics. */
  memory: MemoryKind,
  /** Of what the repository shares: where it comes from. */
  origin?: SharedOrigin,
};

/** What to look for, and where the solution must work. */
export type RankedSolutionsParams = {
  /** A stack trace, an error line, or the problem in words. */
  query_text: string,
  /** Flat: texts, numbers, booleans. What the seven known fields mean stands in `argus_core::environment`. */
  env: Record<string, unknown>,
  /** 1 to 50; 5 when none. */
  limit?: number | null,
  /** What the host found of project and machine; fills in what `env` leaves out. */
  detected_env?: Record<string, unknown> | null,
};

/** What is known about a problem. */
export type RankedSolutionsResult = {
  /** `lkp-…`, for `record_outcome`. */
  lookup_id: string,
  /** The canonical form of the environment. */
  env_bucket: string,
  /** The fields that were not in `env` and were found. */
  detected_env?: Record<string, string>,
  /** Best first, at most 10. */
  incidents: Array<IncidentMatch>,
  /** Best first. */
  ranked_solutions: Array<RankedSolution>,
  /** The first of `ranked_solutions` that is not foreign. */
  recommended_solution: RankedSolution | null,
  /** Solutions that the limit left out. */
  more: number,
  /** What to do now. */
  next_action: NextAction,
  /** Anything that limits this answer. */
  warnings?: Array<string>,
};

/** What signatures depend on beside the failure. */
export type Recipe = {
  /** Two memories with the same one sign alike. */
  recipe: string,
};

/** A fix recorded straight on a pattern, for Node tooling. */
export type RecordFixParams = {
  /** The pattern it counts on. */
  patternId: string,
  /** Run of the failure. */
  runId: string,
  /** Case of the failure. */
  caseName: string,
  /** What was changed. */
  fixDescription: string,
  /** Whether it resolved the failure. */
  success: boolean,
};

/** What came of trying a solution. */
export type RecordOutcomeParams = {
  /** The search that led to it. */
  lookup_id?: string | null,
  /** `sol-…`. */
  solution_id: string,
  /** It solved the problem. */
  worked: boolean,
  /** Where it was tried. */
  env: Record<string, unknown>,
  /** In place of what `env` gives. */
  env_bucket?: string | null,
  /** Anything worth knowing, at most 10 KB. */
  notes?: string | null,
  /** What the host found of project and machine; fills in what `env` leaves out. */
  detected_env?: Record<string, unknown> | null,
};

/** A recorded outcome. */
export type RecordOutcomeResult = {
  /** It was recorded. */
  ok: true,
  /** `out-…`. */
  outcome_id: string,
  /** Where it counts. */
  env_bucket: string,
  /** The fields that were not in `env` and were found. */
  detected_env?: Record<string, string>,
  /** The solution's statistics after it. */
  solution_stats: SolutionStats,
  /** What to do now. */
  next_action: NextAction,
};

/** A finished run, given by its reports, or by the printed output if there are none. */
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
  /** Whether the command was ended because it exceeded its time limit. */
  timedOut: boolean,
  /** Whether the user interrupted the command. Only the failed tests of such a run are recorded. */
  interrupted?: boolean,
  /** Milliseconds without output, if the command was ended for that. */
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
  /** Whether `cases` are not in the order of execution. */
  orderUnknown?: boolean,
  /** Whether the command is a test runner, so that a run without tests has failed even with exit code 0. */
  expectsTests?: boolean,
  /** Folder of the project in which the command ran, with `/`. Case names start with it. None for the project's own
   * folder. */
  folder?: string | null,
  /** Conditions that tests may depend on, such as `os`, `arch`, `ci` and `machine` (hashed). */
  environment?: { [key in string]: string },
  /** Filter of the tests. Tests that it excludes may be reported as skipped. */
  filter?: string | null,
  /** Whether it ran in a fork. Such a run is kept, but proves and refutes nothing. */
  foreign?: boolean,
  /** How the runner shuffled the tests, if it reports that. */
  shuffle?: Shuffle | null,
};

/** Who records something, and where; kept with every fix. */
export type RecorderOptions = {
  /** A client with its version, or a person. */
  by?: string | null,
  /** The machine. */
  from?: string | null,
};

/** A line of an import that could not be read. */
export type RefusedLine = {
  /** Counted from 1 within the call. */
  line: number,
  /** Why. */
  message: string,
};

/** A similar pattern. */
export type Related = {
  /** What kind of thing it is. */
  kind: RelatedKind,
  /** Its id; of a fix that the repository shares, that of the fix, by which a report names it. */
  id: string,
  /** What it is about. */
  description: string,
  /** In [0, 1]; 1 for the same error with the same values. */
  similarity: number,
  /** What differs where only the compared values do; the first three lines. */
  differences?: Array<Difference>,
  /** Its best fix. */
  suggestedFix: string | null,
  /** What came of trying that fix; absent where it is none, or a tip that nobody tried. */
  tried?: Tried,
  /** True: no run has proved the fix. */
  claimed?: boolean,
  /** Its confidence. */
  confidence: number | null,
  /** `foreign`: nobody here made it, and nobody here tried it. Absent: it is the user's own. */
  memory?: MemoryKind,
  /** Of what the repository shares: where it comes from. */
  origin?: SharedOrigin,
};

/** What a related thing is. */
export type RelatedKind = "pattern" | "incident";

/** One test case of a report. */
export type ReportCase = {
  /** Source file, as the report gives it but with `/`, relative to the project where it lies inside. */
  file?: string | null,
  /** Enclosing suites from the outside in. */
  suite: Array<string>,
  /** The test's own name. */
  name: string,
  /** How it ended. */
  status: CaseStatus,
  /** The runner's own word for it, where it says more (`timedOut`, `interrupted`, `todo`). */
  runnerStatus?: string | null,
  /** It failed and then passed within this run. */
  flaky: boolean,
  /** Milliseconds of all attempts. */
  durationMs?: number | null,
  /** How often it was run; at least 1 unless skipped. */
  attempts: number,
  /** Exception type, where the report names it apart. */
  errorType?: string | null,
  /** Error text with stack, of the last failed attempt; bounded. Message and body joined without repeating. */
  error?: string | null,
  /** End of what it wrote to standard output; bounded. */
  stdoutTail?: string | null,
  /** End of what it wrote to standard error; bounded. */
  stderrTail?: string | null,
  /** Runner that its report names. A parser knows it only at the end and answers it apart; a run that waits keeps it
   * here. */
  runner?: string | null,
};

/** A fix to record. */
export type ReportFixParams = {
  /** Run of the failure. */
  runId: string,
  /** Case of the failure. */
  caseName: string,
  /** What was changed. */
  fixDescription: string,
  /** Whether it resolved the failure. */
  success: boolean,
  /** Id of an earlier report of the same case (`fix-…`) whose text this report corrects. */
  supersedes?: string | null,
  /** Environment in which it was tried, as in `record_outcome`; an unknown one when none. */
  env?: Record<string, unknown> | null,
};

/** What a reported fix changed. */
export type ReportFixResult = {
  /** The pattern it counts on. */
  patternId: string,
  /** The pattern that learned it, and that the failure is from now on, where it counts on a built-in. */
  learnedBy?: string,
  /** What it is. */
  category: FailureCategory,
  /** None for a pattern this call created. */
  previousConfidence: number | null,
  /** After this fix. */
  updatedConfidence: number,
  /** After this fix. */
  occurrences: number,
  /** After this fix. */
  resolutions: number,
  /** `fix-…`. */
  fixRecordId: string,
  /** This call created the pattern. */
  isNewPattern: boolean,
  /** Of a success. */
  state: ProofStatus | null,
  /** The later run in which the case passed. */
  provedBy: string | null,
  /** What would prove it, where nothing does yet. */
  toProve: string | null,
  /** Of a success: how far runs have proved it. */
  trust?: FixTrust,
  /** What speaks against it. */
  warnings: Array<string>,
};

/** Report formats by name. */
export type ReportFormat = "junit" | "ctrf" | "jest" | "playwright" | "tap" | "go-test";

/** A report file. */
export type ReportInput = {
  /** Path the host can open. */
  path: string,
  /** Format. Default: detected from the content. */
  format?: ReportFormat | null,
};

/** A fix that somebody reported. */
export type ReportedFix = {
  /** `fix-…`. */
  fixId: string,
  /** The pattern that learned it. */
  patternId: string,
  /** Case of the failure. */
  caseName: string,
  /** What was changed; the first 300 characters. */
  fixDescription: string,
  /** How far runs have proved it. */
  trust: FixTrust,
  /** When it was reported. */
  createdAt: string,
  /** The entry before it that is the same mend: of the same failure, found or reported in another way. Absent: this is
   * the first of it. */
  sameAs?: string,
};

/** Limits for runs; patterns and fixes are never deleted. */
export type Retention = {
  /** Runs older than this many days go. */
  maxAgeDays?: number | null,
  /** Only this many newest runs stay. */
  maxRuns?: number | null,
  /** So many of the newest runs stay, however old they are. Default: 20. */
  minRuns?: number | null,
};

/** Whether a token could be revoked. */
export type RevokeTokenResult = {
  /** False: there is none of this id, or it was revoked before. */
  revoked: boolean,
};

/** A run with its cases: failed ones first, then flaky ones, then the others, each in the order of the report. */
export type RunDetail = {
  /** The run. */
  run: RunRecord,
  /** One page. */
  cases: Array<CaseRecord>,
  /** Number of cases. */
  total: number,
  /** Whether there is a next page. */
  hasMore: boolean,
};

/** Which cases of a run to list. */
export type RunDetailParams = {
  /** `run-…`. */
  runId: string,
  /** From 1 to 1000. Default: 100. */
  limit?: number | null,
  /** Number of entries to skip. */
  offset?: number | null,
};

/** One error of a run, as it is told apart wherever it comes up. */
export type RunError = {
  /** `file > suite > name`, or the command. */
  caseName: string,
  /** The same for the same error in other tests: with the function of the project that it came from. */
  family: string,
  /** The same for what says the same, values included, wherever it came from; none where that says too little. */
  sentence?: string,
  /** It says what a test expected and not why that was not met. */
  isOfTest: boolean,
  /** Words in lower case that stand in it wherever it comes up, at most 12. */
  words: Array<string>,
};

/** Which errors a run had. */
export type RunErrors = {
  /** The first 20 that say something. */
  errors: Array<RunError>,
  /** No case tells why the run failed, so that the error is the command's own. */
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
  /** Branch. None if the head is detached, or outside of git. */
  gitBranch: string | null,
  /** Whether there were uncommitted changes. */
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
  /** True for a run of a fork, which is no evidence for this project. */
  foreign?: boolean,
};

/** Answer to a recorded run. */
export type RunResult = {
  /** `run-…`. */
  runId: string,
  /** Failed if a case or the command failed. */
  status: RunStatus,
  /** Whether the user interrupted the run, so that some tests may not have run. */
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
  sinceGreen?: SinceGreen,
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
export type SameCause = {
  /** `pat-…`. */
  patternId: string,
  /** Name of its case. */
  caseName: string,
};

/** What a token may do. Each holds those before it. */
export type Scope = "read" | "write" | "edit" | "admin";

/** A failure of a pattern. */
export type SeenIn = {
  /** `run-…`. */
  runId: string,
  /** When the run started. */
  timestamp: string,
  /** `file > suite > name`. */
  caseName: string,
  /** What went wrong, one line. */
  headline: string,
};

/** A test that failed with a pattern. */
export type SeenTest = {
  /** `file > suite > name`. */
  caseName: string,
  /** In how many recorded runs. */
  failures: number,
  /** The newest of them. */
  lastRunId: string,
  /** When that run started. */
  lastSeenAt: string,
};

/** What was found wrong. */
export type ShareCheckResult = {
  /** In the order of the files. */
  faults: Array<SharedFault>,
  /** What a person should read in those without a fault. */
  doubts: Array<SharedFault>,
};

/** What of a memory is to be shared. */
export type ShareParams = {
  /** The pseudonym that is written into each file; none: nobody is named. */
  by?: string | null,
  /** What tells of this machine, and is not written. */
  machine: MachineNames,
  /** Paths of the files that are shared already, which stay as they are. */
  present: Array<string>,
  /** Fixes that were found in commits, and that a person chose. */
  found: Array<ChosenFix>,
};

/** The files to write. */
export type ShareResult = {
  /** In the order of their paths; those that are there already are not among them. */
  files: Array<SharedText>,
  /** What is not shared, and why. */
  leftOut: Array<SharedFault>,
  /** What a person should read in these files before they are committed. */
  doubts: Array<SharedFault>,
};

/** What was taken in. */
export type ShareTaken = {
  /** Files. */
  taken: number,
  /** Those that were not. */
  refused: Array<SharedFault>,
};

/** What is wrong with a file. */
export type SharedFault = {
  /** Below `.argus-shared`. */
  path: string,
  /** Why, in one line. */
  message: string,
};

/** A fix that the repository shares: somebody else's, and a claim here until own runs have decided. */
export type SharedKnown = {
  /** `fix-…`, by which a report names it. */
  fixId: string,
  /** Case of the failure there. */
  caseName: string,
  /** What was changed; the first 300 characters, as data. */
  fixDescription: string,
  /** True: it was made here, and `origin` says what came of it elsewhere. */
  own?: boolean,
  /** Where it comes from. */
  origin: SharedOrigin,
};

/** Where something comes from that a repository shares, and what own runs have said of it. */
export type SharedOrigin = {
  /** The file. */
  file: string,
  /** The pseudonym of who wrote it; absent: nobody is named. */
  by?: string,
  /** Of a fix: `claimed` until own runs prove or refute it. */
  state?: ProofStatus,
  /** The own run that decided that. */
  decidedBy?: string,
  /** Of a fix: what came of it elsewhere, as others say. */
  elsewhere?: Tried,
  /** The file that says that this failure is one with another; the fix is of both. */
  joinedBy?: string,
};

/** A file of the shared folder. */
export type SharedText = {
  /** Below `.argus-shared`, with `/`. */
  path: string,
  /** What it holds. */
  text: string,
};

/** Files of the shared folder to check, or to take in. */
export type SharedTexts = {
  /** All of them. */
  files: Array<SharedText>,
};

/** How a runner shuffled its tests. */
export type Shuffle = {
  /** Seed of the order. None if several were used, or if it is not reported. */
  seed?: string,
  /** Options of the runner that reproduce the order. */
  option?: string,
};

/** Which pattern. */
export type SignatureParams = {
  /** Hex SHA-256, or `builtin::CATEGORY`. */
  signature: string,
};

/** Changes between the last run without a failure and a failed run. */
export type SinceGreen = {
  /** The newest earlier run of the branch without a failure. */
  runId: string,
  /** Number of commits between the two runs. */
  commits: number,
  /** Files whose uncommitted edits differ between the two runs. At most 20. */
  edited?: Array<string>,
};

/** Something in a report that could not be read. */
export type SkippedInput = {
  /** Where: file name, with line where it is known. */
  at: string,
  /** What was wrong there. */
  reason: string,
};

/** Where a copy of the database is written. */
export type SnapshotParams = {
  /** A path as the host opens it; there must be no file yet. */
  path: string,
};

/** A solution with what came of it. */
export type SolutionDetail = {
  /** `sol-…`. */
  solution_id: string,
  /** What to do. */
  steps: string,
  /** The environment it was written for. */
  env: Record<string, string | number | boolean>,
  /** Its canonical form. */
  env_bucket: string,
  /** When it was added. */
  created_at: string,
  /** How often it worked. */
  worked: number,
  /** How often it failed. */
  failed: number,
  /** In each environment; the best known first. */
  buckets: Array<BucketStats>,
  /** The newest first, not all of many. */
  outcomes: Array<OutcomeDetail>,
  /** Who added it; none: it is from before this was kept. */
  recorded_by: string | null,
  /** On which machine. */
  recorded_from: string | null,
  /** A person judged it as wrong; it is not suggested. */
  wrong?: boolean,
};

/** What is known of a solution, over all environments and in each. */
export type SolutionStats = {
  /** `sol-…`. */
  solution_id: string,
  /** How often it worked. */
  worked: number,
  /** How often it failed. */
  failed: number,
  /** `worked / (worked + failed)`. */
  success_rate: number,
  /** Lower bound of the success rate. */
  reliability_score: number,
  /** When it last worked. */
  last_confirmed_at: string | null,
  /** The best known first. */
  buckets: Array<BucketStats>,
};

/** Patterns of one source. */
export type SourceCount = {
  /** Which. */
  source: PatternSource,
  /** How many. */
  count: number,
};

/** A part of a pattern that is another failure. */
export type SplitPatternParams = {
  /** What it is part of. */
  pattern: string,
  /** One of its `merged`. */
  part: string,
};

/** The failure with the same error that a fix was learned for. */
export type SuggestedFrom = {
  /** `pat-…`. */
  patternId: string,
  /** Name of its case. */
  caseName: string,
  /** `(resolutions + 1) / (occurrences + 2)` of that pattern. */
  confidence: number,
  /** Lines with other values, such as a port, a host, a path or a number, as they were there and are here. */
  differences?: Array<Difference>,
};

/** A commit that may have begun a failure. */
export type SuspectCommit = {
  /** Full hash. */
  commit: string,
  /** 0 to 1. */
  probability: number,
  /** First line of its message. The host adds this and the fields below where the commit is in its repository. */
  title?: string,
  /** Name. */
  author?: string,
  /** ISO 8601, when it was written. */
  date?: string,
  /** Files that it touched, relative to the project, at most 20. */
  files?: Array<string>,
};

/** A test that ends in another way than before. */
export type TestChange = {
  /** `file > suite > name`. */
  caseName: string,
  /** What changed. */
  change: ChangeKind,
  /** How it ended before, in the newest run that had it; `absent` for a new one. */
  base: CaseState,
  /** That run. */
  baseRunId?: string,
  /** How it ended last, in the newest run that had it. */
  head: CaseState,
  /** That run. */
  headRunId: string,
  /** The newest run in which it failed, of those that were compared; what follows is said of that. */
  failedIn?: string,
  /** What that failure was found to be. */
  verdict?: BriefVerdict,
  /** Failures of one cause have one. */
  causeId?: string,
  /** What went wrong, one line. */
  headline?: string,
};

/** Tests by what changed. */
export type TestChangeCounts = {
  /** They fail and did not. */
  failing: number,
  /** They fail by chance and did not. */
  flaky: number,
  /** They did not run before. */
  new: number,
  /** They failed and do no more. */
  fixed: number,
  /** They failed before and still do: no change. */
  stillFailing: number,
};

/** Since which commit. */
export type TestChangesParams = {
  /** A commit of a recorded run; its beginning, where only one begins so. */
  since: string,
  /** 1 to 1000; 100 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** How tests ended in the runs of a commit and before it, against the runs after. */
export type TestChangesResult = {
  /** Full hash. */
  since: string,
  /** The newest run of the commit, or before it where it has none. */
  base: RunRecord,
  /** The newest run after, on whose branch the others are; absent where there is none. */
  head?: RunRecord,
  /** One page: failing ones first, then flaky, new and fixed ones. */
  changes: Array<TestChange>,
  /** How many there are of each. */
  counts: TestChangeCounts,
  /** All changes. */
  total: number,
  /** There is a next page. */
  hasMore: boolean,
  /** Remarks: what was compared, how old this is, and what to do about it. */
  notes?: Array<string>,
};

/** How long a test takes when it passes at the first attempt. */
export type TestDuration = {
  /** `file > suite > name`. */
  caseName: string,
  /** Median milliseconds in its newest runs. */
  medianMs: number,
  /** How many these are, 5 at most. */
  runs: number,
  /** In those before; none where they are fewer than 5. */
  before: DurationBefore | null,
};

/** A test with what is known of how it fails. */
export type TestEvidence = {
  /** `file > suite > name`. */
  caseName: string,
  /** What it is. */
  state: TestState,
  /** What its newest failure was found to be, where it is broken. */
  verdict?: VerdictKind,
  /** Mean of the posterior of how often it fails by chance, in runs in which it could have failed; 0 to 1. */
  flakeRate: number,
  /** Its 90 % interval. */
  interval: [number, number],
  /** Runs in which it failed, the machine's own failures aside. */
  failures: number,
  /** Runs in which it could have failed. */
  runs: number,
  /** The test that breaks it, for `order`. */
  polluter?: string,
  /** Such as `os=windows`, for `environment`. */
  condition?: string,
};

/** Which test's history. */
export type TestHistoryParams = {
  /** Qualified name, its last part, or a part of it that only one test has. */
  caseName: string,
  /** 1 to 50; 20 when none. */
  limit?: number | null,
  /** How many runs to pass over. */
  offset?: number | null,
};

/** One test over the runs. */
export type TestHistoryResult = {
  /** `file > suite > name`. */
  caseName: string,
  /** What it is after all runs; absent where it never failed. */
  evidence?: TestEvidence,
  /** Why it failed last; absent where it never failed, or in runs of an earlier version alone. */
  latestFailure?: LatestFailure,
  /** One page of the runs in which it ran, newest first. */
  runs: Array<TestRun>,
  /** There is a next page. */
  hasMore: boolean,
  /** Remarks: how old this is, and what to do about it. */
  notes?: Array<string>,
};

/** A test in one run. */
export type TestRun = {
  /** `run-…`. */
  runId: string,
  /** When the run started. */
  startedAt: string,
  /** Full hash. */
  commit?: string,
  /** None when detached or outside git. */
  branch?: string,
  /** Uncommitted changes. */
  dirty?: boolean,
  /** How it ended; of several cases of this name the worst. */
  status: CaseState,
  /** Milliseconds. */
  durationMs?: number,
  /** What a failure was found to be. */
  verdict?: BriefVerdict,
  /** Failures of one cause have one. */
  causeId?: string,
  /** What went wrong, one line. */
  headline?: string,
  /** The run is of somebody else's copy of the project. */
  foreign?: boolean,
};

/** What a test is. */
export type TestState = "broken" | "flaky" | "order" | "environment" | "healthy";

/** Which tests to list. */
export type TestsParams = {
  /** Only tests whose name has this in it. */
  name?: string | null,
  /** Only tests in this state. */
  state?: TestState | null,
  /** 1 to 1000; 100 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** Tests that failed once, those first that are not healthy. */
export type TestsResult = {
  /** One page. */
  tests: Array<TestEvidence>,
  /** All that fit. */
  total: number,
  /** There is a next page. */
  hasMore: boolean,
  /** Remarks: how old this is, and what to do about it. */
  notes?: Array<string>,
};

/** A token as it is kept. */
export type Token = {
  /** The public part. */
  id: string,
  /** Whose it is. */
  name: string,
  /** SHA-256 of the secret, hex. */
  digest: string,
  /** The highest of what it may do. */
  scope: Scope,
  /** Null: all. */
  projects: Array<string> | null,
  /** ISO 8601, as all times. */
  createdAt: string,
  /** Null: it does not expire. */
  expiresAt: string | null,
  /** Null: it is not revoked. */
  revokedAt: string | null,
  /** Null: it was never used. To the minute. */
  lastUsedAt: string | null,
};

/** All tokens of a server. */
export type TokensResult = {
  /** The oldest first, revoked ones too. */
  tokens: Array<Token>,
};

/** Number of cases by status. Flaky cases also count as passed. */
export type Totals = {
  /** Passed, flaky ones included. */
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
  /** When it started. */
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
  /** Outcome of the whole. */
  status: RunStatus,
  /** Passed ones of those that ran, in [0, 1]; none where nothing ran. */
  passRate: number | null,
};

/** What came of trying a fix: each failure that it was reported for counts once. */
export type Tried = {
  /** Successes that a later run showed. */
  proved: number,
  /** Successes that no run has shown. */
  claimed: number,
  /** Failures, and successes that a later run refuted. */
  failed: number,
};

/** A rule from the project's own configuration, tried before all others. */
export type UserRule = {
  /** Named in answers as `user:NAME`. */
  name: string,
  /** The category it gives. */
  category: FailureCategory,
  /** A regular expression in the syntax of the `regex` crate. */
  pattern: string,
};

/** A pattern of secrets from the project's own configuration. */
export type UserSecret = {
  /** Shown in the replacement: `[REDACTED:NAME]`. */
  name: string,
  /** A regular expression; group 1 is what goes, or the whole match where there is no group. */
  pattern: string,
};

/** What a failure is. */
export type Verdict = {
  /** `regression`: began with a change. `broken`: fails since then. `flaky`: by chance. `infrastructure`: the machine.
   * `order`: another test breaks it. `environment`: fails where a condition holds. `new`: no history. */
  kind: VerdictKind,
  /** The calibrated chance that it is that, 0 to 1. */
  probability: number,
  /** Where it began, for `regression` and `broken`. */
  since?: VerdictSince,
  /** What speaks for it; each sentence names a run. */
  because: Array<string>,
  /** What speaks for something else. */
  against: Array<string>,
  /** The one run that would settle it most. */
  settle?: string,
  /** The test that breaks it, for `order`. */
  polluter?: string,
  /** Such as `os=windows`, for `environment`. */
  condition?: string,
};

/** What a failure is. */
export type VerdictKind = "regression" | "broken" | "flaky" | "infrastructure" | "order" | "environment" | "new" | "unknown";

/** Failures of one kind of verdict. */
export type VerdictKindCount = {
  /** Which; none for those with no verdict. */
  kind: VerdictKind | null,
  /** How many. */
  count: number,
};

/** The first run that failed so. */
export type VerdictSince = {
  /** `run-…`. */
  runId: string,
  /** Its commit; none where it may have failed before that. */
  commit?: string,
};

/** Which failed case to show. */
export type ViewCaseParams = {
  /** `run-…`. */
  runId: string,
  /** Qualified name. */
  caseName: string,
};

/** A failed case with all that was kept of it. */
export type ViewCaseResult = {
  /** What it is. */
  category: FailureCategory,
  /** Finer than the category, of a closed list. */
  failureKind: FailureKind,
  /** `file:line` of the first frame in the project's own code. */
  place: string | null,
  /** Of the test; its file alone where no line is known. */
  testPlace: string | null,
  /** One line. */
  headline: string,
  /** Redacted. */
  error: string | null,
  /** End of its standard output, redacted. */
  stdoutTail: string | null,
  /** End of its standard error, redacted. */
  stderrTail: string | null,
  /** The pattern it matches; looked up, not counted. */
  pattern: ViewPatternRow | null,
  /** What is known of it, with its best fix, as a run answers it. */
  known: KnownPattern | null,
  /** How it ended in the newest runs, newest first, at most 50; runs without it are left out. */
  history: Array<CaseEnd>,
};

/** Two runs, and which page of each list. */
export type ViewComparisonParams = {
  /** The run before. */
  base: string,
  /** The run after. */
  head: string,
  /** Of each list, 1 to 200; 50 when none. */
  limit?: number | null,
  /** How many of each list to pass over. */
  offset?: number | null,
};

/** What changed from one run to the other. A test is a name: it failed if any case of that name did. */
export type ViewComparisonResult = {
  /** The run before. */
  base: RunRecord,
  /** The run after. */
  head: RunRecord,
  /** Failing in head alone, those of one kind of verdict together: regressions first, those with none last. */
  new: ComparedCases,
  /** How many of `new` are of each kind, in the same order; kinds with none are left out. */
  newKinds: Array<VerdictKindCount>,
  /** Failing in base, not in head, where it ran. */
  fixed: ComparedCases,
  /** Failing in both. */
  stillFailing: ComparedCases,
  /** Failing in base, not run or skipped in head. */
  gone: ComparedCases,
};

/** Environments in which something was tried. */
export type ViewEnvironmentsResult = {
  /** Canonical forms, most frequent first, at most 100. */
  envBuckets: Array<string>,
};

/** One report that something was tried. */
export type ViewFix = {
  /** `fix-…` or `out-…`. */
  fixId: string,
  /** What was tried. */
  solutionId: string,
  /** Run of the failure; none where it was not reported for a run. */
  runId: string | null,
  /** The run is still recorded. */
  runRecorded: boolean,
  /** Case of the failure. */
  caseName: string | null,
  /** What was changed. */
  fixDescription: string,
  /** It was reported as a success. */
  success: boolean,
  /** A person marked it as wrong, so it counts as no success. */
  wrong: boolean,
  /** When it was reported. */
  createdAt: string,
  /** Who reported it; none: it is from before this was kept. */
  recordedBy: string | null,
  /** On which machine. */
  recordedFrom: string | null,
};

/** Which part of the grid of tests and runs. */
export type ViewGridParams = {
  /** How many of the newest runs, 1 to 50; 20 when none. */
  runs?: number | null,
  /** Only tests with these words in their name. */
  text?: string | null,
  /** Only these tests. */
  only?: GridFilter | null,
  /** Tests, 1 to 200; 100 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** Tests x runs: broken tests first, then flaky ones, then those that failed, then the rest by name. */
export type ViewGridResult = {
  /** The columns, newest first. */
  runs: Array<RunRecord>,
  /** The rows. */
  tests: Array<GridTest>,
  /** All tests that fit the filter. */
  total: number,
  /** Flaky ones among those that fit the text. */
  flaky: number,
  /** Broken ones among those that fit the text. */
  broken: number,
  /** There is a next page. */
  hasMore: boolean,
  /** There are fewer columns than asked for, because these hold so many cases. */
  shortened: boolean,
};

/** An incident, or a failure pattern with a fix where a text was given. */
export type ViewIncident = {
  /** `inc-…` or `pat-…`; an imported one keeps its own. */
  incidentId: string,
  /** Which of the two it is. */
  kind: MatchKind,
  /** One line. */
  title: string,
  /** The error as it was printed, cut short. */
  errorSignature: string | null,
  /** The problem in words, cut short. */
  summary: string | null,
  /** Labels. */
  tags: Array<string>,
  /** Where it is stored. */
  memory: MemoryKind,
  /** When it was added. */
  createdAt: string,
  /** How many solutions it has. */
  solutionCount: number,
  /** How well it answers the text, in [0, 1]. */
  score: number | null,
  /** Why it was found, in short phrases. */
  because: Array<string>,
  /** With a text its solutions with their scores, best first, at most 10. */
  solutions: Array<RankedSolution>,
};

/** Which incidents to show. */
export type ViewIncidentsParams = {
  /** A problem, as in `ranked_solutions`; none: all, newest first. */
  text?: string | null,
  /** Where a solution must work, as in `ranked_solutions`. */
  env?: Record<string, unknown> | null,
  /** In place of what `env` gives; one of `viewEnvironments`. */
  envBucket?: string | null,
  /** 1 to 200; 20 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** Incidents, newest or best first. */
export type ViewIncidentsResult = {
  /** One page. */
  incidents: Array<ViewIncident>,
  /** All of them; with a text all that answer it, at most 200. */
  total: number,
  /** There is a next page. */
  hasMore: boolean,
  /** The canonical form of the environment. */
  envBucket: string,
  /** Anything that limits this answer. */
  warnings: Array<string>,
};

/** A failure to look at. */
export type ViewInspectionParams = {
  /** The failure. */
  event: FailureEvent,
  /** Qualified name of the case it happened in. */
  caseName?: string | null,
};

/** Everything concluded from a failure text, and what the memory has about it. Nothing is stored or counted. */
export type ViewInspectionResult = {
  /** What is concluded from the text alone. */
  inspection: Inspection,
  /** Where placeholders stand in `inspection.normalized`. */
  placeholders: Array<PlaceholderSpan>,
  /** The pattern it matches. */
  pattern: ViewPatternRow | null,
  /** Patterns and incidents that are like it. */
  related: Array<Related>,
};

/** What is wrong now. */
export type ViewNowResult = {
  /** Recorded runs, foreign ones among them. */
  runs: number,
  /** The newest that is not foreign; none where there is none. */
  run: RunRecord | null,
  /** Its failures by cause, most frequent first, at most 100. */
  causes: Array<FailureGroup>,
  /** Causes that are left out. */
  moreCauses: number,
  /** Tests that are not healthy and did not fail in that run: broken ones first, then flaky, order-bound and
   * environment-bound ones, at most 20. */
  tests: Array<HealthTest>,
  /** Tests that are left out. */
  moreTests: number,
  /** Fixes that were reported, and that no run has proved or refuted; the newest 20. */
  claims: Array<ReportedFix>,
  /** Older ones. */
  moreClaims: number,
  /** Changes after which failures were gone, too recently to be sure; the newest 20. */
  fixes: Array<FixEvidence>,
  /** Older ones. */
  moreFixes: number,
};

/** What a database holds, in a few numbers. */
export type ViewOverview = {
  /** Built-in and learned. */
  patterns: number,
  /** Learned ones among them. */
  learnedPatterns: number,
  /** Recorded runs. */
  runs: number,
  /** Incidents of both memories. */
  incidents: number,
  /** The newest run. */
  latestRun: RunRecord | null,
};

/** Which pattern to show; limit and offset are those of `seen`. */
export type ViewPatternParams = {
  /** `pat-…` or `builtin-…`; one that was merged leads to the other. */
  id: string,
  /** 1 to 200; 50 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** A pattern with everything that is known about it. */
export type ViewPatternResult = {
  /** As it is shown everywhere: what a person set, else what was learned. */
  pattern: FailurePattern,
  /** What was learned, or what the built-in says. */
  learned: LearnedValues,
  /** What a person set. */
  set: PersonValues,
  /** Case it was learned from; none for a built-in. */
  caseName: string | null,
  /** Patterns that are part of it: a person merged them into it, or they were alike. */
  merged: Array<MergedPattern>,
  /** Reported fixes, newest first, at most 100. */
  fixes: Array<ViewFix>,
  /** What was or may be tried: the suggested one first, wrong ones last; at most 50. */
  solutions: Array<ViewSolution>,
  /** Oldest first; the last one is now. */
  confidenceOverTime: Array<ConfidencePoint>,
  /** From here on every day is known; before it only what was reported. */
  confidenceKnownSince: string | null,
  /** Failures of it in recorded runs, newest first: of a built-in, all of its category. */
  seen: Array<SeenIn>,
  /** All of them. */
  seenTotal: number,
  /** There is a next page of `seen`. */
  hasMore: boolean,
  /** The tests it was seen in, most frequent first, at most 50; for a built-in those of the page. */
  tests: Array<SeenTest>,
  /** Patterns that are like it. */
  related: Array<Related>,
  /** A redacted error text it was learned from. */
  sample: string | null,
};

/** A pattern as a row of a table. */
export type ViewPatternRow = {
  /** `pat-…` or `builtin-…`. */
  id: string,
  /** What it is. */
  category: FailureCategory,
  /** One line about it. */
  description: string,
  /** None: nothing fixed it yet. A long one is cut. */
  suggestedFix: string | null,
  /** `(resolutions + 1) / (occurrences + 2)`. */
  confidence: number,
  /** How often it was diagnosed. */
  occurrences: number,
  /** How often a fix was reported as successful. */
  resolutions: number,
  /** Where it comes from. */
  source: PatternSource,
  /** Case it was learned from; none for a built-in. */
  caseName: string | null,
  /** First diagnosis; for a built-in, when the database was made. */
  firstSeenAt: string,
  /** Last diagnosis. */
  lastSeenAt: string,
  /** A person set something of it. */
  edited: boolean,
};

/** Order of patterns; of equal ones the newest is the greatest. */
export type ViewPatternSort = "category" | "description" | "confidence" | "occurrences" | "resolutions" | "lastSeen" | "source";

/** Which patterns to show. */
export type ViewPatternsParams = {
  /** Only this category. */
  category?: FailureCategory | null,
  /** Only from there. */
  source?: PatternSource | null,
  /** Only those with these words, letter by letter but for their case, in description, case name or the beginning
   * of the suggested fix. */
  text?: string | null,
  /** `occurrences` when none. Built-ins that were never met come last in every order. */
  sort?: ViewPatternSort | null,
  /** True when none. */
  descending?: boolean | null,
  /** 1 to 200; 100 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** One page of patterns, and how many there are of each kind. */
export type ViewPatternsResult = {
  /** One page. */
  patterns: Array<ViewPatternRow>,
  /** All that fit the filter. */
  total: number,
  /** There is a next page. */
  hasMore: boolean,
  /** How many fit source and text, by category; categories with none are left out. */
  categories: Array<CategoryCount>,
  /** How many fit category and text, by source. */
  sources: Array<SourceCount>,
};

/** Which run to show, and which of its cases. */
export type ViewRunParams = {
  /** `run-…`. */
  id: string,
  /** Only cases that ended so. */
  status?: CaseState | null,
  /** Only cases with these words in their name or headline. */
  text?: string | null,
  /** 1 to 200; 100 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** One run: why it failed, and its cases. */
export type ViewRunResult = {
  /** The run. */
  run: RunRecord,
  /** Runner's name. */
  runner: string | null,
  /** Exit code of the command. */
  exitCode: number | null,
  /** Signal that ended it. */
  signal: string | null,
  /** Its time was over. */
  timedOut: boolean,
  /** The run before it, for a comparison. */
  previousId: string | null,
  /** The run after it. */
  nextId: string | null,
  /** Its failures by cause, most frequent first, at most 100. */
  groups: Array<FailureGroup>,
  /** Groups that are left out. */
  moreGroups: number,
  /** Failed first, then flaky, then the rest, each in the report's order. A long error is cut; `viewCase` has it. */
  cases: Array<CaseRecord>,
  /** All that fit the filter. */
  total: number,
  /** There is a next page. */
  hasMore: boolean,
};

/** Which runs to show. */
export type ViewRunsParams = {
  /** Only these. */
  status?: RunStatus | null,
  /** 1 to 200; 50 when none. */
  limit?: number | null,
  /** How many to pass over. */
  offset?: number | null,
};

/** Runs, newest first. */
export type ViewRunsResult = {
  /** One page. */
  runs: Array<RunRecord>,
  /** All that fit the filter. */
  total: number,
  /** There is a next page. */
  hasMore: boolean,
};

/** Something to try, with what came of it. */
export type ViewSolution = {
  /** `sol-…`. */
  solutionId: string,
  /** What to do. */
  steps: string,
  /** The environment it was written for; empty: any. */
  envBucket: string,
  /** How often it worked. */
  worked: number,
  /** How often it failed. */
  failed: number,
  /** When it last worked. */
  lastConfirmedAt: string | null,
  /** When it was added. */
  createdAt: string,
  /** It is what the pattern suggests. */
  suggested: boolean,
  /** A person set it as what the pattern suggests. */
  set: boolean,
  /** A person marked it as wrong. */
  wrong: boolean,
};

/** How many runs to draw. */
export type ViewTrendParams = {
  /** The newest, 1 to 1000; 100 when none. */
  runs?: number | null,
};

/** Runs over time, oldest first. */
export type ViewTrendResult = {
  /** One for each run. */
  points: Array<TrendPoint>,
};

/** Something in a diff that lets a test pass without the fault being gone. */
export type Weakening = {
  /** Path in the project. */
  file: string,
  /** Line in the new file; of something that went, where it was in the old one. */
  line: number,
  /** What it is. */
  kind: WeakeningKind,
  /** The line of the diff, without its mark. */
  text: string,
};

/** What a weakening is. */
export type WeakeningKind = "test_deleted" | "test_skipped" | "test_changed" | "hook_changed" | "mocked" | "test_not_passed" | "timeout_raised" | "snapshot_rewritten" | "threshold_lowered" | "failure_ignored";

/** Every code an engine call can answer. */
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

/** Every category, in the contract's order. */
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

/** Every kind of failure, in the order in which they are explained. */
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

/** How a fix may be gone about, in the order in which the approaches are due. */
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

/** What patterns may be sorted by. */
export const PATTERN_SORTS = [
  'confidence',
  'occurrences',
  'lastSeen',
] as const;

/** Where patterns come from. */
export const PATTERN_SOURCES = [
  'built-in',
  'learned',
] as const;

/** Every format of reports that is read. */
export const REPORT_FORMATS = [
  'junit',
  'ctrf',
  'jest',
  'playwright',
  'tap',
  'go-test',
] as const;

/** How a run may end. */
export const RUN_STATUSES = [
  'passed',
  'failed',
] as const;

/** What a token may do; each holds those before it. */
export const SCOPES = [
  'read',
  'write',
  'edit',
  'admin',
] as const;

/** What a test may be. */
export const TEST_STATES = [
  'broken',
  'flaky',
  'order',
  'environment',
  'healthy',
] as const;

/** What the engine bounds. */
export const LIMITS = {
  /** Bytes of a report that are read. */
  MAX_REPORT_BYTES: 268435456,
  /** Failures of a run that are analyzed, because each costs a millisecond; of others the name and outcome are kept. */
  MAX_ANALYZED_FAILURES: 5000,
  /** Files that a commit touched, of those that are looked at: one that touched more says little of each of them. */
  MAX_COMMIT_FILES: 64,
  /** Commits of a history that are looked through for fixes. */
  MAX_LEARNED_COMMITS: 10000,
  /** Commits of which it is kept what they mended; the newest. */
  MAX_FIX_COMMITS: 5000,
  /** Runs in an answer of `history`. */
  MAX_RUNS: 100,
  /** The same, where the caller does not say. */
  DEFAULT_RUNS: 20,
  /** Patterns in an answer of `patterns`, and as many where the caller does not say. */
  MAX_PATTERNS: 200,
  /** Solutions in an answer of `rankedSolutions`. */
  MAX_SOLUTIONS: 50,
  /** The same, where the caller does not say. */
  DEFAULT_SOLUTIONS: 5,
  /** Ids in an answer of `completeIds`. */
  MAX_COMPLETIONS: 100,
  /** Bytes of a file that a repository shares. */
  MAX_SHARED_FILE_BYTES: 65536,
  /** Such files that are taken in. */
  MAX_SHARED_FILES: 2000,
  /** Bytes of all such files that are taken in. */
  MAX_SHARED_BYTES: 8388608,
} as const;

/** Cases whose failures do not fail the gate for a while. */
export const QUARANTINE_FILE = 'argus-quarantine.yaml';
