//! Detects an output that ends with an unanswered question. The caller passes whether the process became silent.

use crate::display::strip_escapes;
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// Number of bytes at the end of the output that are searched.
const MAX_SEARCHED_BYTES: usize = 8 * 1024;
/// Number of lines at the end in which the question of a list of choices is searched. The choices are below the
/// question.
const MAX_CHOICE_LINES: usize = 20;
/// Number of lines at the end in which a question is searched, because lines like `Aborted.` may follow it.
const MAX_LINES_TO_QUESTION: usize = 4;
/// Maximum length of a prompt. A longer line is normal output.
const MAX_PROMPT_BYTES: usize = 240;

/// Messages of programs that wait for input, or that cannot ask because there is no terminal.
static PROMPT_MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"\bwaiting for (?:user )?input\b|\bEOF when reading a line\b|\bis not a (?:tty|terminal)\b|\bnot a tty\b",
        r"|\bno tty present\b|\ba terminal is required\b|\bforce closed the prompt\b|\bprompts? (?:can ?not|could not) be\b",
        r"|\bcannot (?:prompt|ask) \b|\bnon-?interactive (?:mode|terminal|shell|environment)\b.*\b(?:prompt|input|confirm)",
        r"|\buse -y\b|\bplease (?:provide|enter) .* (?:interactively|manually)\b",
    ))
});
/// Patterns that only questions match.
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"[\[(<]\s*(?:y(?:es)?\s*[/|]\s*no?|y(?:es)?/no?/\S+|yn)\s*[\])>](?:\s*[:?>›]?\s*$|\s*\(?\w*\)?\.?\s*[:?›]?\s*$)",
        r"|^\s*(?:\[\w+\] )?(?:enter |re-?enter |confirm |repeat |new |current |unix |retype )*(?:\S+'s )?(?:password|passphrase|passcode|pin)(?: for [^:]+| \([^)]*\)| again)?\s*:\s*$",
        r"|^\s*enter passphrase for .*:\s*$|\bpress (?:any key|\W?(?:enter|return)\W?)(?: to \w+)?|^\s*#\? *$",
        r"|^\s*(?:are you sure|do you want|would you like|ok to proceed|proceed|continue|overwrite)\b[^\n]*\?\s*(?:[\[(][^\])]*[\])])?\s*:?\s*$",
        r"|^\s*(?:please )?(?:enter|type|choose|select|input|specify|provide)\b[^\n:]{0,100}(?:\[[^\]]*\]|\([^)]*\))?\s*[:?>›]\s*(?:\([^)]*\))?\s*$",
        r"|^\s*(?:username|user name|login|e-?mail)(?: for [^:]+)?\s*:\s*$",
    ))
});
/// Questions as inquirer, enquirer, prompts, clack and survey print them, above the choices.
static CHOICE_QUESTION: LazyLock<Regex> = LazyLock::new(|| compile(r"^\s*(?:\?|◆) \S.*"));
/// A last line without a line break that looks like a question. It counts only if the program became silent.
static UNFINISHED_QUESTION: LazyLock<Regex> = LazyLock::new(|| compile(r"[:?>›)\]]\s*$"));
/// Progress bars and spinners, which also end without a line break.
static PROGRESS_LINE: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\d%|={3,}|#{4,}|\.{3}\s*$|\d+/\d+|^\s*at |\b(?:error|exception|warning)\b"));

/// Returns the prompt at the end of an output. `silent`: the program printed nothing more and did not end by itself.
pub fn find_prompt(output: &str, silent: bool) -> Option<String> {
    let tail = &output[output.ceil_char_boundary(output.len().saturating_sub(MAX_SEARCHED_BYTES))..];
    let tail = strip_escapes(tail);
    let lines: Vec<&str> = tail.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).collect();
    let last = |count: usize| lines[lines.len().saturating_sub(count)..].iter().rev().copied();
    let short = |line: &&str| line.len() <= MAX_PROMPT_BYTES;
    let asked = last(MAX_LINES_TO_QUESTION).filter(short).find(|line| QUESTION.is_match(line));
    let widget = || last(MAX_CHOICE_LINES).filter(|_| silent).filter(short).find(|line| CHOICE_QUESTION.is_match(line));
    let open_end = || {
        let open = silent && !tail.ends_with(['\n', '\r']);
        last(1)
            .filter(|_| open)
            .filter(short)
            .find(|line| UNFINISHED_QUESTION.is_match(line) && !PROGRESS_LINE.is_match(line))
    };
    let said = || last(MAX_CHOICE_LINES).find(|line| PROMPT_MESSAGE.is_match(line));
    let found = asked.or_else(widget).or_else(open_end).or_else(said)?;
    Some(found[..found.floor_char_boundary(MAX_PROMPT_BYTES)].trim().to_owned())
}

fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).build().expect("a constant pattern")
}

#[cfg(test)]
mod tests {
    use super::find_prompt;
    use proptest::prelude::*;

    #[test]
    fn prompt_distinguishes_questions_from_output() {
        let asks = [
            "Project name: (shop) ",
            "package name: ",
            "Continue? [y/N] ",
            "Do you want to overwrite it? (yes/no): ",
            "Password: ",
            "dev@host's password: ",
            "[sudo] password for dev: ",
            "Enter passphrase for key '/home/dev/.ssh/id_ed25519': ",
            "1) a\n2) b\n#? ",
            "? Pick one › \n❯ a\n  b",
            "Enter your name: ",
            "Press ENTER to continue",
            "Username for 'https://host.test': ",
            "Ok to proceed? (y) ",
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
            "Overwrite? [Y/n]\nAborted.\n",
        ];
        for text in asks {
            assert!(find_prompt(text, true).is_some(), "{text}");
        }
        let speaks = [
            "",
            "Downloading [=====>      ] 40%",
            "done.\n",
            "error: expected ')'\n",
            "src/a.ts:12:5 - error TS2304: Cannot find name 'total'.\n",
            "Listening on http://localhost:3000/\n",
            "Tests: 1 failed (2 total)\n",
            "fatal: password authentication failed for user \"shop\"\n",
            "> shop@1.0.0 build\n> vite build\n",
        ];
        for text in speaks {
            assert_eq!(find_prompt(text, true), None, "{text}");
        }
    }

    #[test]
    fn a_program_that_ended_needs_explicit_words() {
        assert_eq!(find_prompt("? not a question of a widget", false), None);
        assert_eq!(find_prompt("Ready (main) ", false), None);
        assert!(find_prompt("EOFError: EOF when reading a line\n", false).is_some());
        assert!(find_prompt("the input device is not a TTY\n", false).is_some());
    }

    proptest! {
        #[test]
        fn no_output_causes_a_panic(text in "\\PC{0,60}(\n\\PC{0,60}){0,4}", silent in any::<bool>()) {
            let _ = find_prompt(&text, silent);
        }
    }
}
