"""The one list of questions that may be asked of a run; every host (editor, browser, command line) asks only this."""
