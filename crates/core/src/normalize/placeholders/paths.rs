//! Matches paths in temporary and home folders. The part that differs between machines or runs is replaced, and the
//! file name stays. System paths (`/etc`, `/usr`) and relative paths stay.

use crate::text::bytes::{ByteSet, PrefixList, byte_at, run_end, starts_with_ignoring_case};
use memchr::memmem;

/// The part of a path that differs between machines or runs.
pub(in crate::normalize) struct VolatilePart {
    /// End offset, exclusive.
    pub(in crate::normalize) end: usize,
    /// Placeholder for the volatile part.
    pub(in crate::normalize) text: &'static str,
}

/// Folders that contain random names.
static TEMP_FOLDERS: PrefixList<9> = PrefixList::new([
    "/tmp/",
    "/var/tmp/",
    "/private/tmp/",
    "/var/folders/",
    "/private/var/folders/",
    "/dev/shm/",
    "/run/user/",
    "/var/run/user/",
    "/usr/tmp/",
]);
/// Folders that differ between machines and that may contain a checkout.
static HOME_FOLDERS: PrefixList<13> = PrefixList::new([
    "/var/lib/jenkins/workspace/",
    "/var/jenkins_home/workspace/",
    "/home/",
    "/Users/",
    "/root/",
    "/builds/",
    "/github/",
    "/workspace/",
    "/workspaces/",
    "/__w/",
    "/mnt/",
    "/opt/hostedtoolcache/",
    "/actions-runner/",
]);

/// Folders below a Windows drive that differ between machines, in lower case.
const WINDOWS_HOME_FOLDERS: [&[u8]; 4] = [b"\\users\\", b"\\a\\", b"\\workspace\\", b"\\jenkins\\workspace\\"];

/// Returns the volatile part of an absolute path that starts at `start`.
pub(in crate::normalize) fn find_volatile_part(line: &[u8], start: usize) -> Option<VolatilePart> {
    let rest = &line[start..];
    if rest[0].is_ascii_alphabetic() && byte_at(rest, 1) == b':' {
        return find_volatile_on_windows(line, start);
    }
    if TEMP_FOLDERS.matches_start(rest) {
        return Some(temp_part(line, start, path_end(line, start), b'/'));
    }
    // The temporary output of a Hadoop job in the home folder of a user.
    if rest.starts_with(b"/user/") {
        let stop = path_end(line, start);
        let unfinished = memmem::find(&line[start..stop], b"/_temporary/").is_some();
        return unfinished.then_some(VolatilePart { end: stop, text: "<TMP>" });
    }
    if HOME_FOLDERS.matches_start(rest) {
        return Some(home_part(line, start, path_end(line, start), b'/'));
    }
    None
}

fn find_volatile_on_windows(line: &[u8], start: usize) -> Option<VolatilePart> {
    let stop = path_end(line, start + 2);
    let path = &line[start..stop];
    let user = WINDOWS_HOME_FOLDERS.iter().any(|root| starts_with_ignoring_case(&path[2..], root));
    let temp_root = starts_with_ignoring_case(&path[2..], b"\\temp\\")
        || starts_with_ignoring_case(&path[2..], b"\\windows\\temp\\");
    let below_temp = path.windows(6).any(|part| part.eq_ignore_ascii_case(b"\\temp\\"));
    if temp_root || user && below_temp {
        return Some(temp_part(line, start, stop, b'\\'));
    }
    user.then(|| home_part(line, start, stop, b'\\'))
}

/// Returns the end of a path: the first byte that may follow a path in a sentence, or before a line number.
fn path_end(line: &[u8], start: usize) -> usize {
    static ENDS: ByteSet = ByteSet::of_text_ends("\"'`:,;()<>[]|={}");
    let mut end = run_end(line, start, |byte| !ENDS.has(byte));
    while end > start && matches!(line[end - 1], b'.' | b'!' | b'?') {
        end -= 1;
    }
    end
}

/// Returns the part to replace in a temporary folder. A name directly in the folder is random and is replaced too. The
/// name of a file in a subfolder stays.
fn temp_part(line: &[u8], start: usize, end: usize, separator: u8) -> VolatilePart {
    let path = &line[start..end];
    let depth = memchr::memchr_iter(separator, path).count();
    let last = path.iter().rposition(|&byte| byte == separator).unwrap_or(0);
    let name = &path[last + 1..];
    let stable = depth >= 3 && name.contains(&b'.') && !name.iter().any(u8::is_ascii_digit);
    if stable { VolatilePart { end: start + last, text: "<TMP>" } } else { VolatilePart { end, text: "<TMP>" } }
}

fn home_part(line: &[u8], start: usize, end: usize, separator: u8) -> VolatilePart {
    let path = &line[start..end];
    let last = path.iter().rposition(|&byte| byte == separator).unwrap_or(0);
    let named = path[last + 1..].contains(&b'.') && last > 0;
    if named { VolatilePart { end: start + last, text: "<HOME>" } } else { VolatilePart { end, text: "<HOME>" } }
}
