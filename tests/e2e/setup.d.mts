/** Types of setup.mjs. */

export declare function setUpRunners(): void;
export declare const pythonFolder: string;
