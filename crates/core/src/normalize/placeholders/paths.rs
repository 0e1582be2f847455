//! Temporary and home paths. The part that differs between machines or runs is replaced, and the file name stays.
//! System paths (`/etc`, `/usr`) and relative paths stay.

use crate::text::bytes::{Set, Starts, at, run, starts_ignoring_case};
use memchr::memmem;

/// The volatile part of a path.
pub(in crate::normalize) struct Volatile {
    /// End offset, exclusive.
    pub(in crate::normalize) end: usize,
    /// Placeholder for the volatile part.
    pub(in crate::normalize) text: &'static str,
}

/// Folders in which names are random.
static TEMP: Starts<9> = Starts::new([
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
/// Folders that differ between machines and may contain a checkout.
static HOME: Starts<13> = Starts::new([
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
const WINDOWS_HOME: [&[u8]; 4] = [b"\\users\\", b"\\a\\", b"\\workspace\\", b"\\jenkins\\workspace\\"];

/// Returns the volatile part of an absolute path that starts at `start`.
pub(in crate::normalize) fn find_volatile(line: &[u8], start: usize) -> Option<Volatile> {
    let rest = &line[start..];
    if rest[0].is_ascii_alphabetic() && at(rest, 1) == b':' {
        return windows(line, start);
    }
    if TEMP.begin(rest) {
        return Some(temp(line, start, path_end(line, start), b'/'));
    }
    // Uncommitted output of a job below its user's home in HDFS.
    if rest.starts_with(b"/user/") {
        let stop = path_end(line, start);
        let unfinished = memmem::find(&line[start..stop], b"/_temporary/").is_some();
        return unfinished.then_some(Volatile { end: stop, text: "<TMP>" });
    }
    if HOME.begin(rest) {
        return Some(home_folder(line, start, path_end(line, start), b'/'));
    }
    None
}

fn windows(line: &[u8], start: usize) -> Option<Volatile> {
    let stop = path_end(line, start + 2);
    let path = &line[start..stop];
    let user = WINDOWS_HOME.iter().any(|root| starts_ignoring_case(&path[2..], root));
    let temp_root =
        starts_ignoring_case(&path[2..], b"\\temp\\") || starts_ignoring_case(&path[2..], b"\\windows\\temp\\");
    let below_temp = path.windows(6).any(|part| part.eq_ignore_ascii_case(b"\\temp\\"));
    if temp_root || user && below_temp {
        return Some(temp(line, start, stop, b'\\'));
    }
    user.then(|| home_folder(line, start, stop, b'\\'))
}

/// Returns the end of a path: the first byte that a sentence or a place in a file puts after a path.
fn path_end(line: &[u8], start: usize) -> usize {
    static ENDS: Set = Set::of_ends("\"'`:,;()<>[]|={}");
    let mut end = run(line, start, |byte| !ENDS.has(byte));
    while end > start && matches!(line[end - 1], b'.' | b'!' | b'?') {
        end -= 1;
    }
    end
}

/// A name directly in the temp folder is random and goes too. Deeper in the folder the file name stays.
fn temp(line: &[u8], start: usize, end: usize, separator: u8) -> Volatile {
    let path = &line[start..end];
    let depth = memchr::memchr_iter(separator, path).count();
    let last = path.iter().rposition(|&byte| byte == separator).unwrap_or(0);
    let name = &path[last + 1..];
    let stable = depth >= 3 && name.contains(&b'.') && !name.iter().any(u8::is_ascii_digit);
    if stable { Volatile { end: start + last, text: "<TMP>" } } else { Volatile { end, text: "<TMP>" } }
}

fn home_folder(line: &[u8], start: usize, end: usize, separator: u8) -> Volatile {
    let path = &line[start..end];
    let last = path.iter().rposition(|&byte| byte == separator).unwrap_or(0);
    let named = path[last + 1..].contains(&b'.') && last > 0;
    if named { Volatile { end: start + last, text: "<HOME>" } } else { Volatile { end, text: "<HOME>" } }
}
