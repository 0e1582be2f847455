/**
 * The viewer's functions by name, with what each takes and gives: the same in a process, in a worker and over HTTP.
 * Does not: call them; `Engine.view` does.
 */

import type {
  EditPatternParams,
  IncidentDetail,
  MarkFixParams,
  MarkFixResult,
  MergePatternsParams,
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
} from './generated/contract.ts';

/** A function that takes nothing takes an empty object. */
type Nothing = Record<string, never>;

/** What the viewer may ask. */
export interface ViewMethods {
  viewOverview: { params: Nothing; result: ViewOverview };
  viewPatterns: { params: ViewPatternsParams; result: ViewPatternsResult };
  viewPattern: { params: ViewPatternParams; result: ViewPatternResult };
  viewRuns: { params: ViewRunsParams; result: ViewRunsResult };
  viewRun: { params: ViewRunParams; result: ViewRunResult };
  viewCase: { params: ViewCaseParams; result: ViewCaseResult };
  viewComparison: { params: ViewComparisonParams; result: ViewComparisonResult };
  viewGrid: { params: ViewGridParams; result: ViewGridResult };
  viewTrend: { params: ViewTrendParams; result: ViewTrendResult };
  viewIncidents: { params: ViewIncidentsParams; result: ViewIncidentsResult };
  viewIncident: { params: { id: string }; result: IncidentDetail };
  viewEnvironments: { params: Nothing; result: ViewEnvironmentsResult };
  viewInspection: { params: ViewInspectionParams; result: ViewInspectionResult };
  editPattern: { params: EditPatternParams; result: ViewPatternRow };
  mergePatterns: { params: MergePatternsParams; result: ViewPatternRow };
  markFix: { params: MarkFixParams; result: MarkFixResult };
}

export type ViewMethod = keyof ViewMethods;
export type ViewParams<M extends ViewMethod> = ViewMethods[M]['params'];
export type ViewResult<M extends ViewMethod> = ViewMethods[M]['result'];

/** The ones that change something; a source that is only looked at refuses them. */
export const EDIT_METHODS: readonly ViewMethod[] = ['editPattern', 'mergePatterns', 'markFix'];

/** All of them, in the order above. */
export const VIEW_METHODS: readonly ViewMethod[] = [
  'viewOverview',
  'viewPatterns',
  'viewPattern',
  'viewRuns',
  'viewRun',
  'viewCase',
  'viewComparison',
  'viewGrid',
  'viewTrend',
  'viewIncidents',
  'viewIncident',
  'viewEnvironments',
  'viewInspection',
  ...EDIT_METHODS,
];

/** Whether a name from outside is one of them. */
export function isViewMethod(name: string): name is ViewMethod {
  return VIEW_METHODS.some((method) => method === name);
}
