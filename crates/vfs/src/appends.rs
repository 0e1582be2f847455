//! Combines consecutive writes into one, because SQLite writes each page of a journal in three pieces. `file` decides
//! when the bytes are written to the host, before another process could miss them.

/// Large enough for the pages that one tool call changes.
const BUFFER_BYTES: usize = 128 * 1024;

/// Bytes that belong at `start` but are not written yet.
#[derive(Debug, Default)]
pub(crate) struct Appends {
    start: u64,
    bytes: Vec<u8>,
}

impl Appends {
    /// Takes a write that continues the buffered bytes, changes a part of them, or is the first. Returns false if the
    /// write does not fit.
    pub(crate) fn take(&mut self, bytes: &[u8], offset: u64) -> bool {
        if self.bytes.is_empty() {
            self.start = offset;
        }
        let Some(at) = offset.checked_sub(self.start).and_then(|at| usize::try_from(at).ok()) else { return false };
        let end = at.saturating_add(bytes.len());
        if at > self.bytes.len() || end > BUFFER_BYTES {
            return false;
        }
        self.bytes.resize(self.bytes.len().max(end), 0);
        self.bytes[at..end].copy_from_slice(bytes);
        true
    }

    /// Copies buffered bytes over a buffer that was read at `offset`, and returns how much of it is filled.
    pub(crate) fn copy_onto(&self, buffer: &mut [u8], offset: u64, read: usize) -> usize {
        let wanted = offset..offset + buffer.len() as u64;
        let (from, to) = (self.start.max(wanted.start), self.end().min(wanted.end));
        let (Some(source), Some(target)) = (range(from, to, self.start), range(from, to, offset)) else { return read };
        // The gap between the end of the file and the buffered bytes reads as zeros.
        buffer[read.min(target.start)..target.start].fill(0);
        let end = target.end;
        buffer[target].copy_from_slice(&self.bytes[source]);
        read.max(end)
    }

    /// The offset after the last byte, or 0 if nothing is buffered.
    pub(crate) fn end(&self) -> u64 {
        if self.bytes.is_empty() { 0 } else { self.start + self.bytes.len() as u64 }
    }

    /// The buffered bytes and their offset.
    pub(crate) fn pending(&self) -> Option<(&[u8], u64)> {
        (!self.bytes.is_empty()).then_some((self.bytes.as_slice(), self.start))
    }

    /// Discards the buffered bytes after they were written or are no longer needed.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// `from..to` relative to `base`, or `None` if the range is empty.
fn range(from: u64, to: u64, base: u64) -> Option<std::ops::Range<usize>> {
    let index = |at: u64| usize::try_from(at - base).ok();
    if from < to { Some(index(from)?..index(to)?) } else { None }
}

#[cfg(test)]
mod tests {
    use super::{Appends, BUFFER_BYTES};

    #[test]
    fn buffers_consecutive_writes() {
        let mut appends = Appends::default();
        assert!(appends.take(b"head", 512));
        assert!(appends.take(b"page", 516));
        assert!(appends.take(b"HE", 512));
        assert_eq!(appends.pending(), Some((b"HEadpage".as_slice(), 512)));
        assert_eq!(appends.end(), 520);
    }

    #[test]
    fn rejects_writes_elsewhere() {
        let mut appends = Appends::default();
        assert!(appends.take(b"page", 512));
        assert!(!appends.take(b"far", 517));
        assert!(!appends.take(b"before", 0));
        assert!(!appends.take(&vec![0; BUFFER_BYTES], 516));
        assert_eq!(appends.pending(), Some((b"page".as_slice(), 512)));
        appends.clear();
        assert_eq!((appends.pending(), appends.end()), (None, 0));
        assert!(appends.take(b"before", 0));
    }

    #[test]
    fn reads_include_buffered_bytes() {
        let mut appends = Appends::default();
        assert!(appends.take(b"page", 4));
        let read = |offset, length: usize, read| {
            let mut buffer = vec![b'.'; length];
            let filled = appends.copy_onto(&mut buffer, offset, read);
            (String::from_utf8(buffer).expect("ASCII"), filled)
        };
        assert_eq!(read(0, 4, 4), ("....".to_owned(), 4));
        assert_eq!(read(2, 4, 4), ("..pa".to_owned(), 4));
        assert_eq!(read(5, 2, 0), ("ag".to_owned(), 2));
        assert_eq!(read(6, 4, 0), ("ge..".to_owned(), 2));
        assert_eq!(read(8, 2, 0), ("..".to_owned(), 0));
        // The file ends before the buffered bytes.
        assert_eq!(read(0, 6, 2), ("..\0\0pa".to_owned(), 6));
    }
}
