//! Matches names of machines and their parts: the host of a syslog line, cluster nodes, places in a rack, devices.
//! `net` matches internet hosts and addresses.

use crate::{
    normalize::word_context::WordContext,
    output::log_level,
    text::bytes::{ByteSet, LOWER, LOWER_HEX, WORD, Words, byte_at, digits_end, run_end},
};

/// Returns the end of the host in a syslog line: `Mar  4 05:06:07 build-host sshd[811]: …`. `end` is the end of the
/// time.
pub(super) fn syslog_host_end(line: &[u8], end: usize) -> Option<usize> {
    static HOST: ByteSet = ByteSet::of_classes(WORD, "-_.");
    static PROGRAM: ByteSet = ByteSet::of_classes(WORD, "-_./()");
    // Any logger may write a date with a year. With a year, only a process ID shows that the line is from syslog.
    let named_month = byte_at(line, 0).is_ascii_uppercase() && !line[..end].ends_with(b"M");
    let stop = run_end(line, end + 1, |byte| HOST.has(byte));
    let host = line.get(end + 1..stop)?;
    let is_host = byte_at(line, end) == b' ' && byte_at(line, stop) == b' ' && host.iter().any(u8::is_ascii_lowercase);
    if !is_host || is_level(host) {
        return None;
    }
    let program = run_end(line, stop + 1, |byte| PROGRAM.has(byte));
    let process = digits_end(line, program + 1);
    let has_process = byte_at(line, program) == b'[' && process > program + 1 && line[process..].starts_with(b"]:");
    let is_daemon = has_process || named_month && line[program..].starts_with(b": ");
    (program > stop + 1 && is_daemon).then_some(stop)
}

fn is_level(word: &[u8]) -> bool {
    let upper = word.to_ascii_uppercase();
    log_level::is_level_below_warning(&upper) || log_level::is_problem_level(&upper)
}

/// Returns the end of a PCI address with its domain and an optional interrupt pin: `0000:02:0a.0`, `0000:02:0a.0[A]`.
pub(super) fn pci_address_end(line: &[u8], start: usize) -> Option<usize> {
    let address: &[u8; 12] = line.get(start..start + 12)?.first_chunk()?;
    let valid = address.iter().enumerate().all(|(index, &byte)| match index {
        4 | 7 => byte == b':',
        10 => byte == b'.',
        _ => byte.is_ascii_hexdigit(),
    });
    let end = start + address.len();
    let pin =
        byte_at(line, end) == b'[' && matches!(byte_at(line, end + 1), b'A'..=b'D') && byte_at(line, end + 2) == b']';
    (valid && !byte_at(line, end).is_ascii_alphanumeric()).then_some(if pin { end + 3 } else { end })
}

/// Returns the end of a place in a rack of IBM's Blue Gene: in `R02-M1-N0-C:J12-U11`, the parts are rack, midplane,
/// node card, jack and unit.
pub(super) fn rack_location_end(line: &[u8], start: usize) -> Option<usize> {
    if byte_at(line, start) != b'R' || digits_end(line, start + 1) != start + 3 || byte_at(line, start + 4) != b'M' {
        return None;
    }
    let mut end = start + 3;
    while matches!(byte_at(line, end), b'-' | b':') && byte_at(line, end + 1).is_ascii_uppercase() {
        let letters = run_end(line, end + 1, |byte| byte.is_ascii_uppercase());
        let stop = digits_end(line, letters);
        if letters - end > 3 || stop - letters > 2 || byte_at(line, stop).is_ascii_lowercase() {
            return None;
        }
        end = stop;
    }
    Some(end)
}

/// Checks for a part that a machine has many times: `CPU3`, `DIMM12`.
pub(super) fn is_machine_part(name: &[u8]) -> bool {
    static PARTS: Words<9> = Words::new(["cpu", "gpu", "dimm", "slot", "lun", "nic", "fan", "psu", "core"]);
    PARTS.has(name)
}

/// Checks whether a name with a number is one of many machines or devices. The whole name is then replaced, because the
/// letters may differ too. `name` is the part before the number, and `tail` is the number of digits.
pub(super) fn is_numbered_device(here: &WordContext<'_>, name: &[u8], tail: usize) -> bool {
    let small = name.iter().all(u8::is_ascii_lowercase);
    let disk = || matches!(name, [b's' | b'h' | b'v', b'd', letter] | [b'x', b'v', b'd', letter] if *letter != b'k');
    // Cluster nodes have the name of their kind and a number: `from sn373`, `from dn228`.
    let node = || {
        (2..=3).contains(&name.len())
            && tail >= 3
            && WORDS_BEFORE_NODE.iter().any(|before| here.before.ends_with(before.as_bytes()))
    };
    let interface = || here.before.ends_with(b" interface ");
    let capital = || matches!(name, [b'A'..=b'Z']) && here.before.ends_with(b"_");
    let label = || capital() && here.next() == b']' && follows_small_letter(here.before);
    small && (disk() && tail <= 2 || node() || interface()) || label()
}

const WORDS_BEFORE_NODE: [&str; 6] = [" from ", " to ", " on ", " host ", " node ", " by "];

/// Checks for a small letter before the last byte of the text: `[Rack_`.
fn follows_small_letter(before: &[u8]) -> bool {
    before
        .iter()
        .rev()
        .nth(1)
        .is_some_and(|&byte| crate::text::bytes::BYTE_CLASSES[usize::from(byte)] & (LOWER | LOWER_HEX) != 0)
}

/// Checks whether a number after `node` counts nodes, as in `on this node 1 local`. Elsewhere, the number may be the
/// version of Node.js.
pub(super) fn counts_nodes(before: &[u8]) -> bool {
    [&b"this node "[..], b"each node ", b"per node ", b"from node ", b"to node ", b"of node "]
        .iter()
        .any(|words| before.ends_with(words))
}

/// Checks for a temperature: `(41C)`.
pub(super) fn is_temperature(here: &WordContext<'_>, word: &[u8]) -> bool {
    matches!(word, [digits @ .., b'C'] if matches!(digits.len(), 2 | 3) && digits.iter().all(u8::is_ascii_digit))
        && here.previous() == b'('
        && here.next() == b')'
}
