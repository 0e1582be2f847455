// Generated from crates/engine/src/calls.rs by `cargo xtask types`; edit there.

import type {
  AddIncidentParams,
  AddIncidentResult,
  AddSolutionParams,
  AddSolutionResult,
  AuditLog,
  AuditLogParams,
  AuditParams,
  CompleteIdsParams,
  CreateTokenParams,
  DiagnoseParams,
  DiagnosticResult,
  EditParams,
  EditPatternParams,
  EditResult,
  FailureBrief,
  FailurePattern,
  FixRecord,
  FixesResult,
  HealthParams,
  HealthResult,
  HistoricRun,
  HistoryParams,
  HistoryResult,
  IdParams,
  ImportRunParams,
  IncidentDetail,
  LearnCommitsParams,
  LearnCommitsResult,
  LikelyFixesParams,
  LikelyFixesResult,
  MarkFixParams,
  MarkFixResult,
  MemoryExportPage,
  MemoryExportParams,
  MemoryImportParams,
  MemoryImportResult,
  MemorySearchParams,
  MemorySearchResult,
  MergePatternsParams,
  MissingTestsParams,
  MissingTestsResult,
  NoParams,
  Overview,
  PatternDetail,
  PatternTableRow,
  PatternsExportPage,
  PatternsExportParams,
  PatternsImportParams,
  PatternsImportResult,
  PatternsParams,
  PatternsResult,
  RankedSolutionsParams,
  RankedSolutionsResult,
  ReceiptParams,
  ReceiptResult,
  RecordFixParams,
  RecordOutcomeParams,
  RecordOutcomeResult,
  RecordRunParams,
  ReportFixParams,
  ReportFixResult,
  RevokeTokenResult,
  RunDetail,
  RunDetailParams,
  RunErrors,
  RunResult,
  ShareCheckResult,
  ShareParams,
  ShareResult,
  SharedFilesParams,
  SharedImportResult,
  SignatureParams,
  SignatureVersionResult,
  SnapshotParams,
  SplitPatternParams,
  TestChangesParams,
  TestChangesResult,
  TestHistoryParams,
  TestHistoryResult,
  TestsParams,
  TestsResult,
  Token,
  TokensResult,
  ViewCaseParams,
  ViewCaseResult,
  ViewComparisonParams,
  ViewComparisonResult,
  ViewEnvironmentsResult,
  ViewGridParams,
  ViewGridResult,
  ViewIncidentsParams,
  ViewIncidentsResult,
  ViewInspectionParams,
  ViewInspectionResult,
  ViewNowResult,
  ViewOverview,
  ViewPatternParams,
  ViewPatternResult,
  ViewPatternsParams,
  ViewPatternsResult,
  ViewRunParams,
  ViewRunResult,
  ViewRunsParams,
  ViewRunsResult,
  ViewTrendParams,
  ViewTrendResult,
  WallsParams,
  WallsResult,
} from './contract.ts';

/** The params and the result of each call of the engine. */
export interface Calls {
  /** Returns the number of patterns and the newest run. */
  overview: { params: NoParams; result: Overview };
  /** Returns the signature version. Memories with equal signature versions produce equal signatures. */
  recipe: { params: NoParams; result: SignatureVersionResult };
  /** Reads the reports of a run. Returns the run without files and secrets, so that it can be recorded later. */
  prepareRun: { params: RecordRunParams; result: RecordRunParams };
  /** Returns the failures of a run with known fixes. Stores nothing, because another memory records the run. */
  knownFailures: { params: RecordRunParams; result: Array<FailureBrief> };
  /** Returns the errors of a run with keys to find them elsewhere. Does not read the memory. */
  runErrors: { params: RecordRunParams; result: RunErrors };
  /** Records a finished run from its reports, else from the output of the command. */
  recordRun: { params: RecordRunParams; result: RunResult };
  /** Records a run that was recorded elsewhere, once. Returns all its failures with verdicts. */
  importRun: { params: ImportRunParams; result: HistoricRun };
  /** Lists tests that have failed before, unhealthy tests first. */
  tests: { params: TestsParams; result: TestsResult };
  /** Returns the results of a test over its runs. */
  testHistory: { params: TestHistoryParams; result: TestHistoryResult };
  /** Lists tests whose result changed since a commit. */
  testChanges: { params: TestChangesParams; result: TestChangesResult };
  /** Lists tests of an earlier run that did not run in this run. */
  missingTests: { params: MissingTestsParams; result: MissingTestsResult };
  /** Returns what is known about the tests of the current files. */
  receipt: { params: ReceiptParams; result: ReceiptResult };
  /** Lists the failures of the newest runs that cost most, with the step that ends each. */
  walls: { params: WallsParams; result: WallsResult };
  /** Lists changes after which failures were gone, with their proof. */
  fixes: { params: NoParams; result: FixesResult };
  /** Returns the changes of an edit that fixed a failure. */
  edit: { params: EditParams; result: EditResult };
  /** Returns commits whose messages look like fixes and that are not learned yet. */
  likelyFixes: { params: LikelyFixesParams; result: LikelyFixesResult };
  /** Stores which tests and symbols commits changed together, as hints for later failures. */
  learnCommits: { params: LearnCommitsParams; result: LearnCommitsResult };
  /** Lists runs, newest first. */
  history: { params: HistoryParams; result: HistoryResult };
  /** Returns a run with its cases. */
  runDetail: { params: RunDetailParams; result: RunDetail };
  /** Diagnoses a failure, with fixes that helped before. Counts as an occurrence. */
  diagnose: { params: DiagnoseParams; result: DiagnosticResult };
  /** Records whether a fix worked. */
  reportFix: { params: ReportFixParams; result: ReportFixResult };
  /** Records a fix directly on a pattern. */
  recordFix: { params: RecordFixParams; result: FixRecord };
  /** Lists patterns in the requested order. */
  patterns: { params: PatternsParams; result: PatternsResult };
  /** Returns a pattern with its history. */
  pattern: { params: IdParams; result: PatternDetail };
  /** Returns the pattern of an exact signature. */
  findBySignature: { params: SignatureParams; result: FailurePattern | null };
  /** Returns known incidents and ranked solutions of a problem. Records the search. */
  rankedSolutions: { params: RankedSolutionsParams; result: RankedSolutionsResult };
  /** Records whether a solution worked. */
  recordOutcome: { params: RecordOutcomeParams; result: RecordOutcomeResult };
  /** Adds a solution to an incident, or to a pattern. */
  addSolution: { params: AddSolutionParams; result: AddSolutionResult };
  /** Adds an incident with its solution and outcome, unless a similar incident exists. */
  addIncident: { params: AddIncidentParams; result: AddIncidentResult };
  /** Imports incidents from JSON lines, one incident per line, in a single transaction. */
  memoryImport: { params: MemoryImportParams; result: MemoryImportResult };
  /** Exports a page of the incidents with their solutions and outcomes. */
  memoryExport: { params: MemoryExportParams; result: MemoryExportPage };
  /** Exports a page of the learned patterns with their solutions. */
  patternsExport: { params: PatternsExportParams; result: PatternsExportPage };
  /** Imports patterns of another memory in a single transaction. A repeated import changes nothing. */
  patternsImport: { params: PatternsImportParams; result: PatternsImportResult };
  /** Returns the new files to share through the repository. */
  shareWrite: { params: ShareParams; result: ShareResult };
  /** Checks files that a repository shares. Needs no memory. */
  shareCheck: { params: SharedFilesParams; result: ShareCheckResult };
  /** Imports files that a repository shares into a separate database. */
  shareTake: { params: SharedFilesParams; result: SharedImportResult };
  /** Returns the ids of incidents that match a text, best first. */
  memorySearch: { params: MemorySearchParams; result: MemorySearchResult };
  /** Returns an incident of either memory with its solutions and outcomes. */
  incident: { params: IdParams; result: IncidentDetail };
  /** Returns ids with a prefix, newest first, at most 100. */
  completeIds: { params: CompleteIdsParams; result: Array<string> };
  /** Writes a copy of the database. Readers can continue meanwhile, writers wait. */
  snapshot: { params: SnapshotParams; result: null };
  /** Fails with the reason if the database cannot be written. */
  checkWrite: { params: NoParams; result: null };
  /** Adds a token to a server's database. */
  createToken: { params: CreateTokenParams; result: Token };
  /** Lists the tokens of a server, oldest first. */
  tokens: { params: NoParams; result: TokensResult };
  /** Revokes a token. */
  revokeToken: { params: IdParams; result: RevokeTokenResult };
  /** Records the use of a token. */
  noteTokenUsed: { params: IdParams; result: null };
  /** Adds an entry to a server's audit log. */
  noteAudit: { params: AuditParams; result: null };
  /** Returns a server's audit log, newest first. */
  auditLog: { params: AuditLogParams; result: AuditLog };
  /** Returns current problems: failures of the newest run, other unhealthy tests, and unproved fixes. */
  viewNow: { params: NoParams; result: ViewNowResult };
  /** Returns the counts for the head of a page. */
  viewOverview: { params: NoParams; result: ViewOverview };
  /** Lists patterns, with counts by category. */
  viewPatterns: { params: ViewPatternsParams; result: ViewPatternsResult };
  /** Returns a pattern with all its details. */
  viewPattern: { params: ViewPatternParams; result: ViewPatternResult };
  /** Lists runs, newest first. */
  viewRuns: { params: ViewRunsParams; result: ViewRunsResult };
  /** Returns a run and a page of its cases. */
  viewRun: { params: ViewRunParams; result: ViewRunResult };
  /** Returns a failed case of a run. */
  viewCase: { params: ViewCaseParams; result: ViewCaseResult };
  /** Compares two runs. */
  viewComparison: { params: ViewComparisonParams; result: ViewComparisonResult };
  /** Returns a grid of tests and runs. */
  viewGrid: { params: ViewGridParams; result: ViewGridResult };
  /** Returns the results of the newest runs, oldest first. */
  viewTrend: { params: ViewTrendParams; result: ViewTrendResult };
  /** Returns unhealthy tests, results of runs over time, slow tests, and fixes with their proof. */
  health: { params: HealthParams; result: HealthResult };
  /** Lists incidents that match a text, or all, newest first. */
  viewIncidents: { params: ViewIncidentsParams; result: ViewIncidentsResult };
  /** Lists environments to choose from. */
  viewEnvironments: { params: NoParams; result: ViewEnvironmentsResult };
  /** Analyzes a text, with matches from the memory. */
  viewInspection: { params: ViewInspectionParams; result: ViewInspectionResult };
  /** Replaces learned values of a pattern with values that a person chose. */
  editPattern: { params: EditPatternParams; result: PatternTableRow };
  /** Merges two patterns. */
  mergePatterns: { params: MergePatternsParams; result: PatternTableRow };
  /** Separates a merged pattern again. */
  splitPattern: { params: SplitPatternParams; result: PatternTableRow };
  /** Marks a fix as wrong, or removes this mark. Only a person may decide this. */
  markFix: { params: MarkFixParams; result: MarkFixResult };
}

export type CallName = keyof Calls;

/** The calls that may change stored data. */
export const WRITING_CALLS = [
  'recordRun',
  'importRun',
  'learnCommits',
  'diagnose',
  'reportFix',
  'recordFix',
  'rankedSolutions',
  'recordOutcome',
  'addSolution',
  'addIncident',
  'memoryImport',
  'patternsImport',
  'shareTake',
  'checkWrite',
  'createToken',
  'revokeToken',
  'noteTokenUsed',
  'noteAudit',
  'editPattern',
  'mergePatterns',
  'splitPattern',
  'markFix',
] as const satisfies readonly CallName[];

/** The writing calls that change learned data, as a person does. */
export const EDITING_CALLS = [
  'editPattern',
  'mergePatterns',
  'splitPattern',
  'markFix',
] as const satisfies readonly CallName[];

/** The calls that another machine of a team may make. */
export const TEAM_CALLS = [
  'overview',
  'recipe',
  'recordRun',
  'importRun',
  'tests',
  'testHistory',
  'testChanges',
  'missingTests',
  'receipt',
  'walls',
  'fixes',
  'edit',
  'history',
  'runDetail',
  'diagnose',
  'reportFix',
  'recordFix',
  'patterns',
  'pattern',
  'findBySignature',
  'rankedSolutions',
  'recordOutcome',
  'addSolution',
  'addIncident',
  'memoryImport',
  'memoryExport',
  'patternsExport',
  'patternsImport',
  'memorySearch',
  'incident',
  'completeIds',
  'checkWrite',
  'viewNow',
  'viewOverview',
  'viewPatterns',
  'viewPattern',
  'viewRuns',
  'viewRun',
  'viewCase',
  'viewComparison',
  'viewGrid',
  'viewTrend',
  'health',
  'viewIncidents',
  'viewEnvironments',
  'viewInspection',
  'editPattern',
  'mergePatterns',
  'splitPattern',
  'markFix',
] as const satisfies readonly CallName[];

/** The calls that a page in a browser may make. */
export const PAGE_CALLS = [
  'incident',
  'viewNow',
  'viewOverview',
  'viewPatterns',
  'viewPattern',
  'viewRuns',
  'viewRun',
  'viewCase',
  'viewComparison',
  'viewGrid',
  'viewTrend',
  'health',
  'viewIncidents',
  'viewEnvironments',
  'viewInspection',
  'editPattern',
  'mergePatterns',
  'splitPattern',
  'markFix',
] as const satisfies readonly CallName[];

/** A method for each call. Each method forwards to `call`. */
export abstract class NamedCalls {
  abstract call<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']>;

  /** Returns the number of patterns and the newest run. */
  overview(params: NoParams = {}): Promise<Overview> {
    return this.call('overview', params);
  }

  /** Returns the signature version. Memories with equal signature versions produce equal signatures. */
  recipe(params: NoParams = {}): Promise<SignatureVersionResult> {
    return this.call('recipe', params);
  }

  /** Reads the reports of a run. Returns the run without files and secrets, so that it can be recorded later. */
  prepareRun(params: RecordRunParams): Promise<RecordRunParams> {
    return this.call('prepareRun', params);
  }

  /** Returns the failures of a run with known fixes. Stores nothing, because another memory records the run. */
  knownFailures(params: RecordRunParams): Promise<Array<FailureBrief>> {
    return this.call('knownFailures', params);
  }

  /** Returns the errors of a run with keys to find them elsewhere. Does not read the memory. */
  runErrors(params: RecordRunParams): Promise<RunErrors> {
    return this.call('runErrors', params);
  }

  /** Records a finished run from its reports, else from the output of the command. */
  recordRun(params: RecordRunParams): Promise<RunResult> {
    return this.call('recordRun', params);
  }

  /** Records a run that was recorded elsewhere, once. Returns all its failures with verdicts. */
  importRun(params: ImportRunParams): Promise<HistoricRun> {
    return this.call('importRun', params);
  }

  /** Lists tests that have failed before, unhealthy tests first. */
  tests(params: TestsParams = {}): Promise<TestsResult> {
    return this.call('tests', params);
  }

  /** Returns the results of a test over its runs. */
  testHistory(params: TestHistoryParams): Promise<TestHistoryResult> {
    return this.call('testHistory', params);
  }

  /** Lists tests whose result changed since a commit. */
  testChanges(params: TestChangesParams): Promise<TestChangesResult> {
    return this.call('testChanges', params);
  }

  /** Lists tests of an earlier run that did not run in this run. */
  missingTests(params: MissingTestsParams): Promise<MissingTestsResult> {
    return this.call('missingTests', params);
  }

  /** Returns what is known about the tests of the current files. */
  receipt(params: ReceiptParams): Promise<ReceiptResult> {
    return this.call('receipt', params);
  }

  /** Lists the failures of the newest runs that cost most, with the step that ends each. */
  walls(params: WallsParams = {}): Promise<WallsResult> {
    return this.call('walls', params);
  }

  /** Lists changes after which failures were gone, with their proof. */
  fixes(params: NoParams = {}): Promise<FixesResult> {
    return this.call('fixes', params);
  }

  /** Returns the changes of an edit that fixed a failure. */
  edit(params: EditParams): Promise<EditResult> {
    return this.call('edit', params);
  }

  /** Returns commits whose messages look like fixes and that are not learned yet. */
  likelyFixes(params: LikelyFixesParams): Promise<LikelyFixesResult> {
    return this.call('likelyFixes', params);
  }

  /** Stores which tests and symbols commits changed together, as hints for later failures. */
  learnCommits(params: LearnCommitsParams): Promise<LearnCommitsResult> {
    return this.call('learnCommits', params);
  }

  /** Lists runs, newest first. */
  history(params: HistoryParams = {}): Promise<HistoryResult> {
    return this.call('history', params);
  }

  /** Returns a run with its cases. */
  runDetail(params: RunDetailParams): Promise<RunDetail> {
    return this.call('runDetail', params);
  }

  /** Diagnoses a failure, with fixes that helped before. Counts as an occurrence. */
  diagnose(params: DiagnoseParams): Promise<DiagnosticResult> {
    return this.call('diagnose', params);
  }

  /** Records whether a fix worked. */
  reportFix(params: ReportFixParams): Promise<ReportFixResult> {
    return this.call('reportFix', params);
  }

  /** Records a fix directly on a pattern. */
  recordFix(params: RecordFixParams): Promise<FixRecord> {
    return this.call('recordFix', params);
  }

  /** Lists patterns in the requested order. */
  patterns(params: PatternsParams = {}): Promise<PatternsResult> {
    return this.call('patterns', params);
  }

  /** Returns a pattern with its history. */
  pattern(params: IdParams): Promise<PatternDetail> {
    return this.call('pattern', params);
  }

  /** Returns the pattern of an exact signature. */
  findBySignature(params: SignatureParams): Promise<FailurePattern | null> {
    return this.call('findBySignature', params);
  }

  /** Returns known incidents and ranked solutions of a problem. Records the search. */
  rankedSolutions(params: RankedSolutionsParams): Promise<RankedSolutionsResult> {
    return this.call('rankedSolutions', params);
  }

  /** Records whether a solution worked. */
  recordOutcome(params: RecordOutcomeParams): Promise<RecordOutcomeResult> {
    return this.call('recordOutcome', params);
  }

  /** Adds a solution to an incident, or to a pattern. */
  addSolution(params: AddSolutionParams): Promise<AddSolutionResult> {
    return this.call('addSolution', params);
  }

  /** Adds an incident with its solution and outcome, unless a similar incident exists. */
  addIncident(params: AddIncidentParams): Promise<AddIncidentResult> {
    return this.call('addIncident', params);
  }

  /** Imports incidents from JSON lines, one incident per line, in a single transaction. */
  memoryImport(params: MemoryImportParams): Promise<MemoryImportResult> {
    return this.call('memoryImport', params);
  }

  /** Exports a page of the incidents with their solutions and outcomes. */
  memoryExport(params: MemoryExportParams = {}): Promise<MemoryExportPage> {
    return this.call('memoryExport', params);
  }

  /** Exports a page of the learned patterns with their solutions. */
  patternsExport(params: PatternsExportParams = {}): Promise<PatternsExportPage> {
    return this.call('patternsExport', params);
  }

  /** Imports patterns of another memory in a single transaction. A repeated import changes nothing. */
  patternsImport(params: PatternsImportParams): Promise<PatternsImportResult> {
    return this.call('patternsImport', params);
  }

  /** Returns the new files to share through the repository. */
  shareWrite(params: ShareParams): Promise<ShareResult> {
    return this.call('shareWrite', params);
  }

  /** Checks files that a repository shares. Needs no memory. */
  shareCheck(params: SharedFilesParams): Promise<ShareCheckResult> {
    return this.call('shareCheck', params);
  }

  /** Imports files that a repository shares into a separate database. */
  shareTake(params: SharedFilesParams): Promise<SharedImportResult> {
    return this.call('shareTake', params);
  }

  /** Returns the ids of incidents that match a text, best first. */
  memorySearch(params: MemorySearchParams): Promise<MemorySearchResult> {
    return this.call('memorySearch', params);
  }

  /** Returns an incident of either memory with its solutions and outcomes. */
  incident(params: IdParams): Promise<IncidentDetail> {
    return this.call('incident', params);
  }

  /** Returns ids with a prefix, newest first, at most 100. */
  completeIds(params: CompleteIdsParams): Promise<Array<string>> {
    return this.call('completeIds', params);
  }

  /** Writes a copy of the database. Readers can continue meanwhile, writers wait. */
  snapshot(params: SnapshotParams): Promise<null> {
    return this.call('snapshot', params);
  }

  /** Fails with the reason if the database cannot be written. */
  checkWrite(params: NoParams = {}): Promise<null> {
    return this.call('checkWrite', params);
  }

  /** Adds a token to a server's database. */
  createToken(params: CreateTokenParams): Promise<Token> {
    return this.call('createToken', params);
  }

  /** Lists the tokens of a server, oldest first. */
  tokens(params: NoParams = {}): Promise<TokensResult> {
    return this.call('tokens', params);
  }

  /** Revokes a token. */
  revokeToken(params: IdParams): Promise<RevokeTokenResult> {
    return this.call('revokeToken', params);
  }

  /** Records the use of a token. */
  noteTokenUsed(params: IdParams): Promise<null> {
    return this.call('noteTokenUsed', params);
  }

  /** Adds an entry to a server's audit log. */
  noteAudit(params: AuditParams): Promise<null> {
    return this.call('noteAudit', params);
  }

  /** Returns a server's audit log, newest first. */
  auditLog(params: AuditLogParams = {}): Promise<AuditLog> {
    return this.call('auditLog', params);
  }

  /** Returns current problems: failures of the newest run, other unhealthy tests, and unproved fixes. */
  viewNow(params: NoParams = {}): Promise<ViewNowResult> {
    return this.call('viewNow', params);
  }

  /** Returns the counts for the head of a page. */
  viewOverview(params: NoParams = {}): Promise<ViewOverview> {
    return this.call('viewOverview', params);
  }

  /** Lists patterns, with counts by category. */
  viewPatterns(params: ViewPatternsParams = {}): Promise<ViewPatternsResult> {
    return this.call('viewPatterns', params);
  }

  /** Returns a pattern with all its details. */
  viewPattern(params: ViewPatternParams): Promise<ViewPatternResult> {
    return this.call('viewPattern', params);
  }

  /** Lists runs, newest first. */
  viewRuns(params: ViewRunsParams = {}): Promise<ViewRunsResult> {
    return this.call('viewRuns', params);
  }

  /** Returns a run and a page of its cases. */
  viewRun(params: ViewRunParams): Promise<ViewRunResult> {
    return this.call('viewRun', params);
  }

  /** Returns a failed case of a run. */
  viewCase(params: ViewCaseParams): Promise<ViewCaseResult> {
    return this.call('viewCase', params);
  }

  /** Compares two runs. */
  viewComparison(params: ViewComparisonParams): Promise<ViewComparisonResult> {
    return this.call('viewComparison', params);
  }

  /** Returns a grid of tests and runs. */
  viewGrid(params: ViewGridParams = {}): Promise<ViewGridResult> {
    return this.call('viewGrid', params);
  }

  /** Returns the results of the newest runs, oldest first. */
  viewTrend(params: ViewTrendParams = {}): Promise<ViewTrendResult> {
    return this.call('viewTrend', params);
  }

  /** Returns unhealthy tests, results of runs over time, slow tests, and fixes with their proof. */
  health(params: HealthParams = {}): Promise<HealthResult> {
    return this.call('health', params);
  }

  /** Lists incidents that match a text, or all, newest first. */
  viewIncidents(params: ViewIncidentsParams = {}): Promise<ViewIncidentsResult> {
    return this.call('viewIncidents', params);
  }

  /** Lists environments to choose from. */
  viewEnvironments(params: NoParams = {}): Promise<ViewEnvironmentsResult> {
    return this.call('viewEnvironments', params);
  }

  /** Analyzes a text, with matches from the memory. */
  viewInspection(params: ViewInspectionParams): Promise<ViewInspectionResult> {
    return this.call('viewInspection', params);
  }

  /** Replaces learned values of a pattern with values that a person chose. */
  editPattern(params: EditPatternParams): Promise<PatternTableRow> {
    return this.call('editPattern', params);
  }

  /** Merges two patterns. */
  mergePatterns(params: MergePatternsParams): Promise<PatternTableRow> {
    return this.call('mergePatterns', params);
  }

  /** Separates a merged pattern again. */
  splitPattern(params: SplitPatternParams): Promise<PatternTableRow> {
    return this.call('splitPattern', params);
  }

  /** Marks a fix as wrong, or removes this mark. Only a person may decide this. */
  markFix(params: MarkFixParams): Promise<MarkFixResult> {
    return this.call('markFix', params);
  }
}
