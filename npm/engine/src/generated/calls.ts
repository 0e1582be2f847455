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
  LearnedCommits,
  LikelyFixes,
  LikelyFixesParams,
  MarkFixParams,
  MarkFixResult,
  MemoryExportParams,
  MemoryExported,
  MemoryImportParams,
  MemoryImported,
  MemorySearchParams,
  MemorySearched,
  MergePatternsParams,
  MissingTestsParams,
  MissingTestsResult,
  NoParams,
  Overview,
  PatternDetail,
  PatternsExportParams,
  PatternsExported,
  PatternsImportParams,
  PatternsImported,
  PatternsParams,
  PatternsResult,
  RankedSolutionsParams,
  RankedSolutionsResult,
  Recipe,
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
  ShareTaken,
  SharedTexts,
  SignatureParams,
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
  ViewPatternRow,
  ViewPatternsParams,
  ViewPatternsResult,
  ViewRunParams,
  ViewRunResult,
  ViewRunsParams,
  ViewRunsResult,
  ViewTrendParams,
  ViewTrendResult,
} from './contract.ts';

/** Every call of the engine: what it takes and what it answers. */
export interface Calls {
  /** How much is known. */
  overview: { params: NoParams; result: Overview };
  /** What signatures depend on beside the failure. */
  recipe: { params: NoParams; result: Recipe };
  /** Reads the reports of a run: the same run without files and without secrets, fit for being recorded later. */
  prepareRun: { params: RecordRunParams; result: RecordRunParams };
  /** What is known about the failures of a run that another memory records, as recording it here would answer them. */
  knownFailures: { params: RecordRunParams; result: Array<FailureBrief> };
  /** Which errors a run had, as they are told apart wherever they come up; no memory is read for that. */
  runErrors: { params: RecordRunParams; result: RunErrors };
  /** Records a finished run from its reports or, without any, from what the command printed. */
  recordRun: { params: RecordRunParams; result: RunResult };
  /** Records a run out of a history that was recorded elsewhere, once; all of its failures with what each was found to be. */
  importRun: { params: ImportRunParams; result: HistoricRun };
  /** Tests that failed once, those first that are not healthy. */
  tests: { params: TestsParams; result: TestsResult };
  /** One test over the runs in which it ran. */
  testHistory: { params: TestHistoryParams; result: TestHistoryResult };
  /** Which tests end in another way than at a commit. */
  testChanges: { params: TestChangesParams; result: TestChangesResult };
  /** Tests of an earlier run that did not run in this one. */
  missingTests: { params: MissingTestsParams; result: MissingTestsResult };
  /** Changes after which failures were gone, and how sure each is. */
  fixes: { params: NoParams; result: FixesResult };
  /** What an edit changed that mended a failure. */
  edit: { params: EditParams; result: EditResult };
  /** Which commits look like fixes by what they say, and are not known yet. */
  likelyFixes: { params: LikelyFixesParams; result: LikelyFixes };
  /** Keeps which tests and symbols commits changed together, for the failures to come. */
  learnCommits: { params: LearnCommitsParams; result: LearnedCommits };
  /** Runs, newest first. */
  history: { params: HistoryParams; result: HistoryResult };
  /** One run with its cases. */
  runDetail: { params: RunDetailParams; result: RunDetail };
  /** What a failure is and what fixed it before; counts it as met once more. */
  diagnose: { params: DiagnoseParams; result: DiagnosticResult };
  /** Whether a fix worked. */
  reportFix: { params: ReportFixParams; result: ReportFixResult };
  /** Records a fix straight on a pattern. */
  recordFix: { params: RecordFixParams; result: FixRecord };
  /** Patterns in the asked order. */
  patterns: { params: PatternsParams; result: PatternsResult };
  /** One pattern with its history. */
  pattern: { params: IdParams; result: PatternDetail };
  /** The pattern of an exact signature. */
  findBySignature: { params: SignatureParams; result: FailurePattern | null };
  /** What is known about a problem, and which solution to try first. Remembers the search. */
  rankedSolutions: { params: RankedSolutionsParams; result: RankedSolutionsResult };
  /** Whether a solution worked. */
  recordOutcome: { params: RecordOutcomeParams; result: RecordOutcomeResult };
  /** Adds a solution to an incident, or to a pattern. */
  addSolution: { params: AddSolutionParams; result: AddSolutionResult };
  /** Adds an incident with its solution and outcome, unless one like it is there. */
  addIncident: { params: AddIncidentParams; result: AddIncidentResult };
  /** Takes in whole lines, one incident each, in one transaction. */
  memoryImport: { params: MemoryImportParams; result: MemoryImported };
  /** One page of all incidents with their solutions and outcomes, as an import takes them. */
  memoryExport: { params: MemoryExportParams; result: MemoryExported };
  /** One page of the learned patterns with what solved them, as an import takes them. */
  patternsExport: { params: PatternsExportParams; result: PatternsExported };
  /** Takes patterns over from another memory, in one transaction; the same taken over again changes nothing. */
  patternsImport: { params: PatternsImportParams; result: PatternsImported };
  /** What is to be shared through the repository, as files; those that are there already are not among them. */
  shareWrite: { params: ShareParams; result: ShareResult };
  /** What is wrong with files that a repository shares; no memory is needed. */
  shareCheck: { params: SharedTexts; result: ShareCheckResult };
  /** Takes files that a repository shares into a database of their own. */
  shareTake: { params: SharedTexts; result: ShareTaken };
  /** Ids of the incidents that answer a text, best first. */
  memorySearch: { params: MemorySearchParams; result: MemorySearched };
  /** One incident of either memory, with its solutions and what came of them. */
  incident: { params: IdParams; result: IncidentDetail };
  /** Ids that begin so, newest first, at most a hundred. */
  completeIds: { params: CompleteIdsParams; result: Array<string> };
  /** Writes a copy of the database as it is now. Others can read meanwhile, writers wait. */
  snapshot: { params: SnapshotParams; result: null };
  /** Fails with the reason if nothing can be stored. */
  checkWrite: { params: NoParams; result: null };
  /** Adds a token to a server's database. */
  createToken: { params: CreateTokenParams; result: Token };
  /** Tokens of a server, the oldest first. */
  tokens: { params: NoParams; result: TokensResult };
  /** Takes a token back. */
  revokeToken: { params: IdParams; result: RevokeTokenResult };
  /** Notes when a token was used. */
  noteTokenUsed: { params: IdParams; result: null };
  /** Adds to a server's audit log. */
  noteAudit: { params: AuditParams; result: null };
  /** A server's audit log, the newest first. */
  auditLog: { params: AuditLogParams; result: AuditLog };
  /** What is wrong now: why the newest run failed, which other tests are not healthy, and which fixes are not proved. */
  viewNow: { params: NoParams; result: ViewNowResult };
  /** For the head of a page. */
  viewOverview: { params: NoParams; result: ViewOverview };
  /** Patterns, filtered and counted by category. */
  viewPatterns: { params: ViewPatternsParams; result: ViewPatternsResult };
  /** One pattern with everything about it. */
  viewPattern: { params: ViewPatternParams; result: ViewPatternResult };
  /** Runs, newest first. */
  viewRuns: { params: ViewRunsParams; result: ViewRunsResult };
  /** One run and a page of its cases. */
  viewRun: { params: ViewRunParams; result: ViewRunResult };
  /** One failed case of a run. */
  viewCase: { params: ViewCaseParams; result: ViewCaseResult };
  /** What changed between two runs. */
  viewComparison: { params: ViewComparisonParams; result: ViewComparisonResult };
  /** Tests by run. */
  viewGrid: { params: ViewGridParams; result: ViewGridResult };
  /** Failures of the newest runs, oldest first. */
  viewTrend: { params: ViewTrendParams; result: ViewTrendResult };
  /** Tests that are not healthy, how runs went over time, slow tests, and fixes with their proof. */
  health: { params: HealthParams; result: HealthResult };
  /** Incidents, by a text or newest first. */
  viewIncidents: { params: ViewIncidentsParams; result: ViewIncidentsResult };
  /** Environments to choose from. */
  viewEnvironments: { params: NoParams; result: ViewEnvironmentsResult };
  /** What a text is, and what is known about it. */
  viewInspection: { params: ViewInspectionParams; result: ViewInspectionResult };
  /** What a person sets in place of what was learned. */
  editPattern: { params: EditPatternParams; result: ViewPatternRow };
  /** Makes one pattern of two. */
  mergePatterns: { params: MergePatternsParams; result: ViewPatternRow };
  /** Makes a part of a pattern one of its own. */
  splitPattern: { params: SplitPatternParams; result: ViewPatternRow };
  /** A person's judgement that a fix is wrong, or is not. */
  markFix: { params: MarkFixParams; result: MarkFixResult };
}

export type CallName = keyof Calls;

/** The calls that may change what is stored. */
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

/** Those of them that change what was learned, as a person does. */
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

/** A method for each call; all of them are `call`. */
export abstract class NamedCalls {
  abstract call<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']>;

  /** How much is known. */
  overview(params: NoParams = {}): Promise<Overview> {
    return this.call('overview', params);
  }

  /** What signatures depend on beside the failure. */
  recipe(params: NoParams = {}): Promise<Recipe> {
    return this.call('recipe', params);
  }

  /** Reads the reports of a run: the same run without files and without secrets, fit for being recorded later. */
  prepareRun(params: RecordRunParams): Promise<RecordRunParams> {
    return this.call('prepareRun', params);
  }

  /** What is known about the failures of a run that another memory records, as recording it here would answer them. */
  knownFailures(params: RecordRunParams): Promise<Array<FailureBrief>> {
    return this.call('knownFailures', params);
  }

  /** Which errors a run had, as they are told apart wherever they come up; no memory is read for that. */
  runErrors(params: RecordRunParams): Promise<RunErrors> {
    return this.call('runErrors', params);
  }

  /** Records a finished run from its reports or, without any, from what the command printed. */
  recordRun(params: RecordRunParams): Promise<RunResult> {
    return this.call('recordRun', params);
  }

  /** Records a run out of a history that was recorded elsewhere, once; all of its failures with what each was found to be. */
  importRun(params: ImportRunParams): Promise<HistoricRun> {
    return this.call('importRun', params);
  }

  /** Tests that failed once, those first that are not healthy. */
  tests(params: TestsParams = {}): Promise<TestsResult> {
    return this.call('tests', params);
  }

  /** One test over the runs in which it ran. */
  testHistory(params: TestHistoryParams): Promise<TestHistoryResult> {
    return this.call('testHistory', params);
  }

  /** Which tests end in another way than at a commit. */
  testChanges(params: TestChangesParams): Promise<TestChangesResult> {
    return this.call('testChanges', params);
  }

  /** Tests of an earlier run that did not run in this one. */
  missingTests(params: MissingTestsParams): Promise<MissingTestsResult> {
    return this.call('missingTests', params);
  }

  /** Changes after which failures were gone, and how sure each is. */
  fixes(params: NoParams = {}): Promise<FixesResult> {
    return this.call('fixes', params);
  }

  /** What an edit changed that mended a failure. */
  edit(params: EditParams): Promise<EditResult> {
    return this.call('edit', params);
  }

  /** Which commits look like fixes by what they say, and are not known yet. */
  likelyFixes(params: LikelyFixesParams): Promise<LikelyFixes> {
    return this.call('likelyFixes', params);
  }

  /** Keeps which tests and symbols commits changed together, for the failures to come. */
  learnCommits(params: LearnCommitsParams): Promise<LearnedCommits> {
    return this.call('learnCommits', params);
  }

  /** Runs, newest first. */
  history(params: HistoryParams = {}): Promise<HistoryResult> {
    return this.call('history', params);
  }

  /** One run with its cases. */
  runDetail(params: RunDetailParams): Promise<RunDetail> {
    return this.call('runDetail', params);
  }

  /** What a failure is and what fixed it before; counts it as met once more. */
  diagnose(params: DiagnoseParams): Promise<DiagnosticResult> {
    return this.call('diagnose', params);
  }

  /** Whether a fix worked. */
  reportFix(params: ReportFixParams): Promise<ReportFixResult> {
    return this.call('reportFix', params);
  }

  /** Records a fix straight on a pattern. */
  recordFix(params: RecordFixParams): Promise<FixRecord> {
    return this.call('recordFix', params);
  }

  /** Patterns in the asked order. */
  patterns(params: PatternsParams = {}): Promise<PatternsResult> {
    return this.call('patterns', params);
  }

  /** One pattern with its history. */
  pattern(params: IdParams): Promise<PatternDetail> {
    return this.call('pattern', params);
  }

  /** The pattern of an exact signature. */
  findBySignature(params: SignatureParams): Promise<FailurePattern | null> {
    return this.call('findBySignature', params);
  }

  /** What is known about a problem, and which solution to try first. Remembers the search. */
  rankedSolutions(params: RankedSolutionsParams): Promise<RankedSolutionsResult> {
    return this.call('rankedSolutions', params);
  }

  /** Whether a solution worked. */
  recordOutcome(params: RecordOutcomeParams): Promise<RecordOutcomeResult> {
    return this.call('recordOutcome', params);
  }

  /** Adds a solution to an incident, or to a pattern. */
  addSolution(params: AddSolutionParams): Promise<AddSolutionResult> {
    return this.call('addSolution', params);
  }

  /** Adds an incident with its solution and outcome, unless one like it is there. */
  addIncident(params: AddIncidentParams): Promise<AddIncidentResult> {
    return this.call('addIncident', params);
  }

  /** Takes in whole lines, one incident each, in one transaction. */
  memoryImport(params: MemoryImportParams): Promise<MemoryImported> {
    return this.call('memoryImport', params);
  }

  /** One page of all incidents with their solutions and outcomes, as an import takes them. */
  memoryExport(params: MemoryExportParams = {}): Promise<MemoryExported> {
    return this.call('memoryExport', params);
  }

  /** One page of the learned patterns with what solved them, as an import takes them. */
  patternsExport(params: PatternsExportParams = {}): Promise<PatternsExported> {
    return this.call('patternsExport', params);
  }

  /** Takes patterns over from another memory, in one transaction; the same taken over again changes nothing. */
  patternsImport(params: PatternsImportParams): Promise<PatternsImported> {
    return this.call('patternsImport', params);
  }

  /** What is to be shared through the repository, as files; those that are there already are not among them. */
  shareWrite(params: ShareParams): Promise<ShareResult> {
    return this.call('shareWrite', params);
  }

  /** What is wrong with files that a repository shares; no memory is needed. */
  shareCheck(params: SharedTexts): Promise<ShareCheckResult> {
    return this.call('shareCheck', params);
  }

  /** Takes files that a repository shares into a database of their own. */
  shareTake(params: SharedTexts): Promise<ShareTaken> {
    return this.call('shareTake', params);
  }

  /** Ids of the incidents that answer a text, best first. */
  memorySearch(params: MemorySearchParams): Promise<MemorySearched> {
    return this.call('memorySearch', params);
  }

  /** One incident of either memory, with its solutions and what came of them. */
  incident(params: IdParams): Promise<IncidentDetail> {
    return this.call('incident', params);
  }

  /** Ids that begin so, newest first, at most a hundred. */
  completeIds(params: CompleteIdsParams): Promise<Array<string>> {
    return this.call('completeIds', params);
  }

  /** Writes a copy of the database as it is now. Others can read meanwhile, writers wait. */
  snapshot(params: SnapshotParams): Promise<null> {
    return this.call('snapshot', params);
  }

  /** Fails with the reason if nothing can be stored. */
  checkWrite(params: NoParams = {}): Promise<null> {
    return this.call('checkWrite', params);
  }

  /** Adds a token to a server's database. */
  createToken(params: CreateTokenParams): Promise<Token> {
    return this.call('createToken', params);
  }

  /** Tokens of a server, the oldest first. */
  tokens(params: NoParams = {}): Promise<TokensResult> {
    return this.call('tokens', params);
  }

  /** Takes a token back. */
  revokeToken(params: IdParams): Promise<RevokeTokenResult> {
    return this.call('revokeToken', params);
  }

  /** Notes when a token was used. */
  noteTokenUsed(params: IdParams): Promise<null> {
    return this.call('noteTokenUsed', params);
  }

  /** Adds to a server's audit log. */
  noteAudit(params: AuditParams): Promise<null> {
    return this.call('noteAudit', params);
  }

  /** A server's audit log, the newest first. */
  auditLog(params: AuditLogParams = {}): Promise<AuditLog> {
    return this.call('auditLog', params);
  }

  /** What is wrong now: why the newest run failed, which other tests are not healthy, and which fixes are not proved. */
  viewNow(params: NoParams = {}): Promise<ViewNowResult> {
    return this.call('viewNow', params);
  }

  /** For the head of a page. */
  viewOverview(params: NoParams = {}): Promise<ViewOverview> {
    return this.call('viewOverview', params);
  }

  /** Patterns, filtered and counted by category. */
  viewPatterns(params: ViewPatternsParams = {}): Promise<ViewPatternsResult> {
    return this.call('viewPatterns', params);
  }

  /** One pattern with everything about it. */
  viewPattern(params: ViewPatternParams): Promise<ViewPatternResult> {
    return this.call('viewPattern', params);
  }

  /** Runs, newest first. */
  viewRuns(params: ViewRunsParams = {}): Promise<ViewRunsResult> {
    return this.call('viewRuns', params);
  }

  /** One run and a page of its cases. */
  viewRun(params: ViewRunParams): Promise<ViewRunResult> {
    return this.call('viewRun', params);
  }

  /** One failed case of a run. */
  viewCase(params: ViewCaseParams): Promise<ViewCaseResult> {
    return this.call('viewCase', params);
  }

  /** What changed between two runs. */
  viewComparison(params: ViewComparisonParams): Promise<ViewComparisonResult> {
    return this.call('viewComparison', params);
  }

  /** Tests by run. */
  viewGrid(params: ViewGridParams = {}): Promise<ViewGridResult> {
    return this.call('viewGrid', params);
  }

  /** Failures of the newest runs, oldest first. */
  viewTrend(params: ViewTrendParams = {}): Promise<ViewTrendResult> {
    return this.call('viewTrend', params);
  }

  /** Tests that are not healthy, how runs went over time, slow tests, and fixes with their proof. */
  health(params: HealthParams = {}): Promise<HealthResult> {
    return this.call('health', params);
  }

  /** Incidents, by a text or newest first. */
  viewIncidents(params: ViewIncidentsParams = {}): Promise<ViewIncidentsResult> {
    return this.call('viewIncidents', params);
  }

  /** Environments to choose from. */
  viewEnvironments(params: NoParams = {}): Promise<ViewEnvironmentsResult> {
    return this.call('viewEnvironments', params);
  }

  /** What a text is, and what is known about it. */
  viewInspection(params: ViewInspectionParams): Promise<ViewInspectionResult> {
    return this.call('viewInspection', params);
  }

  /** What a person sets in place of what was learned. */
  editPattern(params: EditPatternParams): Promise<ViewPatternRow> {
    return this.call('editPattern', params);
  }

  /** Makes one pattern of two. */
  mergePatterns(params: MergePatternsParams): Promise<ViewPatternRow> {
    return this.call('mergePatterns', params);
  }

  /** Makes a part of a pattern one of its own. */
  splitPattern(params: SplitPatternParams): Promise<ViewPatternRow> {
    return this.call('splitPattern', params);
  }

  /** A person's judgement that a fix is wrong, or is not. */
  markFix(params: MarkFixParams): Promise<MarkFixResult> {
    return this.call('markFix', params);
  }
}
