/** Types of setup.mjs. */

export declare function setUpRunners(options?: { all?: boolean }): void;
export declare function hasMavenOffline(): boolean;
export declare function hasGradleOffline(): boolean;
export declare const pythonFolder: string;
export declare const nodePrograms: string;
