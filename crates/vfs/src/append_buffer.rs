//! Combines consecutive writes into one, because SQLite writes each page of a journal in three pieces. `file` decides
//! when the bytes are written to the host, always before another process needs them.

/// Maximum number of buffered bytes, enough for the pages that a tool call changes.
const MAX_BUFFERED_BYTES: usize = 128 * 1024;

/// Bytes that belong at `start` but are not written yet.
#[derive(Debug, Default)]
pub(crate) struct AppendBuffer {
    start: u64,
    bytes: Vec<u8>,
}

impl AppendBuffer {
    /// Buffers a write if the buffer is empty, or if the write continues or changes the buffered bytes. Returns false
    /// if the write does not fit.
    pub(crate) fn buffer_write(&mut self, bytes: &[u8], offset: u64) -> bool {
        if self.bytes.is_empty() {
            self.start = offset;
        }
        let Some(at) = offset.checked_sub(self.start).and_then(|at| usize::try_from(at).ok()) else { return false };
        let end = at.saturating_add(bytes.len());
        if at > self.bytes.len() || end > MAX_BUFFERED_BYTES {
            return false;
        }
        self.bytes.resize(self.bytes.len().max(end), 0);
        self.bytes[at..end].copy_from_slice(bytes);
        true
    }

    /// Copies buffered bytes over `buffer`, which a read at `offset` filled, and returns its number of valid bytes.
    pub(crate) fn copy_onto(&self, buffer: &mut [u8], offset: u64, read: usize) -> usize {
        let wanted = offset..offset + buffer.len() as u64;
        let (from, to) = (self.start.max(wanted.start), self.end().min(wanted.end));
        let (Some(source), Some(target)) = (relative_range(from, to, self.start), relative_range(from, to, offset))
        else {
            return read;
        };
        // The gap between the end of the file and the buffered bytes reads as zeros.
        buffer[read.min(target.start)..target.start].fill(0);
        let end = target.end;
        buffer[target].copy_from_slice(&self.bytes[source]);
        read.max(end)
    }

    /// Returns the offset after the last byte, or 0 if nothing is buffered.
    pub(crate) fn end(&self) -> u64 {
        if self.bytes.is_empty() { 0 } else { self.start + self.bytes.len() as u64 }
    }

    /// Returns the buffered bytes and their offset.
    pub(crate) fn pending(&self) -> Option<(&[u8], u64)> {
        (!self.bytes.is_empty()).then_some((self.bytes.as_slice(), self.start))
    }

    /// Discards the buffered bytes after they were written or are no longer needed.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// `from..to` relative to `base`, or `None` if the range is empty.
fn relative_range(from: u64, to: u64, base: u64) -> Option<std::ops::Range<usize>> {
    let index = |at: u64| usize::try_from(at - base).ok();
    if from < to { Some(index(from)?..index(to)?) } else { None }
}

#[cfg(test)]
mod tests {
    use super::{AppendBuffer, MAX_BUFFERED_BYTES};

    #[test]
    fn buffer_write_joins_consecutive_writes() {
        let mut appends = AppendBuffer::default();
        assert!(appends.buffer_write(b"head", 512));
        assert!(appends.buffer_write(b"page", 516));
        assert!(appends.buffer_write(b"HE", 512));
        assert_eq!(appends.pending(), Some((b"HEadpage".as_slice(), 512)));
        assert_eq!(appends.end(), 520);
    }

    #[test]
    fn buffer_write_rejects_writes_at_other_offsets() {
        let mut appends = AppendBuffer::default();
        assert!(appends.buffer_write(b"page", 512));
        assert!(!appends.buffer_write(b"far", 517));
        assert!(!appends.buffer_write(b"before", 0));
        assert!(!appends.buffer_write(&vec![0; MAX_BUFFERED_BYTES], 516));
        assert_eq!(appends.pending(), Some((b"page".as_slice(), 512)));
        appends.clear();
        assert_eq!((appends.pending(), appends.end()), (None, 0));
        assert!(appends.buffer_write(b"before", 0));
    }

    #[test]
    fn copy_onto_adds_buffered_bytes_to_a_read() {
        let mut appends = AppendBuffer::default();
        assert!(appends.buffer_write(b"page", 4));
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
