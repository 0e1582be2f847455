/** A project's name on a team's server is part of an address and of a file's name. */
export const PROJECT_NAME = /^[a-z0-9][a-z0-9._-]{0,49}$/u;
