/** English texts of the page that opens a database. */

export const start = {
  title: 'Drop an Argus database here',
  text: 'The file argus.db of a project is read in this page, read-only, whatever its size.',
  pick: 'Choose a file',
  keep: 'Keep a copy in this browser to open it again',
  again: (name: string, size: string) => `Open ${name} again (${size})`,
  forget: 'Forget it',
  local: 'Nothing leaves the browser.',
  where: 'Where is it?',
  whereText: 'In the project’s folder:',
  live: 'Or live',
  liveText: 'Follow a project while its agents work:',
  inspectorText: 'No database needed:',
  toInspector: 'inspect an error',
  dropHere: 'Drop the database to open it',
  unrecorded: (project: string) => `${project} has no memory yet`,
  unrecordedText:
    'Record a run: an agent does so with argus_run, a person with this command. It appears here by itself.',
  off: (project: string) => `${project} keeps no memory`,
  offText: 'Its argus.yaml says history.enabled: false. Take that out, then run argus-mcp view again.',
  orFile: 'Or drop another Argus database here',
};
