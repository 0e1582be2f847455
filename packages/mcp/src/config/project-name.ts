/** Limits a project's name on a team's server, because the name becomes part of URLs and file names. */
export const PROJECT_NAME = /^[a-z0-9][a-z0-9._-]{0,49}$/u;
