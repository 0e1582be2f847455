//! Adapts the host's file functions to the traits that `argus-vfs` and the report reader need. Host functions must not
//! throw.

use argus_engine::{EngineError, ErrorCode, ReportFiles};
use argus_report::{Decoder, OpenDecoder};
use argus_vfs::{HostError, HostFs, LockLevel, OpenMode};
use std::{
    cell::Cell,
    fmt,
    io::{self, BufRead, BufReader, Read},
    rc::Rc,
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Buffer size for reading reports. With this size, the cost of calls to the host does not matter.
const REPORT_BUFFER_BYTES: usize = 256 * 1024;

/// 2^53. Larger offsets cannot be represented exactly as a JavaScript number, and no file is that long.
const MAX_FILE_BYTES: u64 = 1 << 53;

#[wasm_bindgen]
extern "C" {
    /// `HostFiles` of npm/engine/src/host.ts, plus `panicked`, which is called before a trap.
    #[derive(Clone)]
    pub type Host;

    #[wasm_bindgen(method)]
    pub(crate) fn panicked(this: &Host, message: &str);
    #[wasm_bindgen(method)]
    fn open(this: &Host, path: &str, mode: u8, database: bool) -> i32;
    #[wasm_bindgen(method)]
    fn close(this: &Host, handle: u32);
    #[wasm_bindgen(method)]
    fn read(this: &Host, handle: u32, buffer: &mut [u8], offset: f64) -> i32;
    #[wasm_bindgen(method)]
    fn write(this: &Host, handle: u32, bytes: &[u8], offset: f64) -> i32;
    #[wasm_bindgen(method)]
    fn truncate(this: &Host, handle: u32, size: f64) -> i32;
    #[wasm_bindgen(method)]
    fn sync(this: &Host, handle: u32) -> i32;
    #[wasm_bindgen(method)]
    fn size(this: &Host, handle: u32) -> f64;
    #[wasm_bindgen(method)]
    fn lock(this: &Host, handle: u32, level: u8) -> i32;
    #[wasm_bindgen(method)]
    fn unlock(this: &Host, handle: u32, level: u8) -> i32;
    #[wasm_bindgen(method)]
    fn reserved(this: &Host, handle: u32) -> i32;
    #[wasm_bindgen(method)]
    fn moved(this: &Host, handle: u32) -> bool;
    #[wasm_bindgen(method)]
    fn remove(this: &Host, path: &str) -> i32;
    #[wasm_bindgen(method, js_name = syncFolder)]
    fn sync_folder(this: &Host, path: &str) -> i32;
    #[wasm_bindgen(method)]
    fn access(this: &Host, path: &str, write: bool) -> bool;
    #[wasm_bindgen(method, js_name = fullPath)]
    fn full_path(this: &Host, path: &str) -> Option<String>;
    #[wasm_bindgen(method)]
    fn sleep(this: &Host, milliseconds: u32);
    #[wasm_bindgen(method, js_name = lastError)]
    fn last_error(this: &Host) -> String;
}

thread_local! {
    /// Number of writes until the trap that a test requested; 0 means no trap.
    static WRITES_UNTIL_TRAP: Cell<u32> = const { Cell::new(0) };
}

/// For tests of trap recovery: panics at the given write to a file or batch of statements, counted from now.
#[wasm_bindgen(js_name = trapAtWrite)]
pub fn trap_at_write(writes: u32) {
    WRITES_UNTIL_TRAP.set(writes);
}

/// Counts a write for [`trap_at_write`].
pub(crate) fn count_write() {
    let left = WRITES_UNTIL_TRAP.get();
    WRITES_UNTIL_TRAP.set(left.saturating_sub(1));
    assert!(left != 1, "a test requested this trap");
}

/// The host, shared by the VFS and open reports.
#[derive(Clone)]
pub(crate) struct HostFiles(pub(crate) Rc<Host>);

impl fmt::Debug for HostFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostFiles")
    }
}

impl HostFs for HostFiles {
    fn open(&self, path: &str, mode: OpenMode, database: bool) -> Result<u32, HostError> {
        let mode = match mode {
            OpenMode::Read => 0,
            OpenMode::ReadWrite => 1,
            OpenMode::Create => 2,
            OpenMode::CreateNew => 3,
        };
        check_answer(self.0.open(path, mode, database))
    }

    fn close(&self, handle: u32) {
        self.0.close(handle);
    }

    fn read(&self, handle: u32, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        check_answer(self.0.read(handle, buffer, to_js_number(offset)?)).map(|count| count as usize)
    }

    fn write(&self, handle: u32, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        count_write();
        check_answer(self.0.write(handle, bytes, to_js_number(offset)?)).map(drop)
    }

    fn truncate(&self, handle: u32, size: u64) -> Result<(), HostError> {
        check_answer(self.0.truncate(handle, to_js_number(size)?)).map(drop)
    }

    fn sync(&self, handle: u32) -> Result<(), HostError> {
        check_answer(self.0.sync(handle)).map(drop)
    }

    fn size(&self, handle: u32) -> Result<u64, HostError> {
        let size = self.0.size(handle);
        #[expect(clippy::cast_possible_truncation, reason = "an error number or a size")]
        #[expect(clippy::cast_sign_loss, reason = "checked in the line itself")]
        if size < 0.0 { Err(convert_failure(size as i32)) } else { Ok(size as u64) }
    }

    fn lock(&self, handle: u32, level: LockLevel) -> Result<(), HostError> {
        check_answer(self.0.lock(handle, level as u8)).map(drop)
    }

    fn unlock(&self, handle: u32, level: LockLevel) -> Result<(), HostError> {
        check_answer(self.0.unlock(handle, level as u8)).map(drop)
    }

    fn has_reserved_lock(&self, handle: u32) -> Result<bool, HostError> {
        check_answer(self.0.reserved(handle)).map(|answer| answer == 1)
    }

    fn was_moved(&self, handle: u32) -> bool {
        self.0.moved(handle)
    }

    fn remove(&self, path: &str) -> Result<(), HostError> {
        check_answer(self.0.remove(path)).map(drop)
    }

    fn sync_folder(&self, path: &str) -> Result<(), HostError> {
        check_answer(self.0.sync_folder(path)).map(drop)
    }

    fn access(&self, path: &str, write: bool) -> bool {
        self.0.access(path, write)
    }

    fn full_path(&self, path: &str) -> Result<String, HostError> {
        self.0.full_path(path).ok_or(HostError::Failed)
    }

    fn sleep(&self, milliseconds: u32) {
        self.0.sleep(milliseconds);
    }

    fn random(&self, bytes: &mut [u8]) -> usize {
        getrandom::fill(bytes).map_or(0, |()| bytes.len())
    }

    fn now(&self) -> i64 {
        crate::call_context::current_time_ms()
    }

    fn last_error(&self) -> String {
        self.0.last_error()
    }
}

impl ReportFiles for HostFiles {
    fn decoders(&self) -> Option<OpenDecoder> {
        Some(create_decoder)
    }

    fn open(&self, path: &str) -> Result<Box<dyn BufRead>, EngineError> {
        match HostFs::open(self, path, OpenMode::Read, false) {
            Ok(handle) => Ok(Box::new(BufReader::with_capacity(
                REPORT_BUFFER_BYTES,
                ReportReader { files: self.clone(), handle, at: 0 },
            ))),
            Err(HostError::NotFound) => Err(EngineError::new(
                ErrorCode::ReportNotFound,
                format!("The report '{path}' does not exist. Check the path, and that the tests wrote it."),
            )),
            Err(HostError::IsFolder) => Err(EngineError::new(
                ErrorCode::ReportUnreadable,
                format!("'{path}' is a folder. Name the report file in it, or a glob that matches it."),
            )),
            Err(_) => Err(EngineError::new(
                ErrorCode::ReportUnreadable,
                format!("'{path}' cannot be read: {}.", HostFs::last_error(self)),
            )),
        }
    }
}

#[wasm_bindgen]
extern "C" {
    /// JavaScript's decoder.
    type TextDecoder;

    #[wasm_bindgen(constructor, catch)]
    fn new(label: &str) -> Result<TextDecoder, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn decode(this: &TextDecoder, bytes: &[u8], options: &JsValue) -> Result<String, JsValue>;
}

fn create_decoder(label: &str) -> Option<Box<dyn Decoder>> {
    TextDecoder::new(label).ok().map(|decoder| Box::new(HostDecoder(decoder)) as Box<dyn Decoder>)
}

struct HostDecoder(TextDecoder);

impl Decoder for HostDecoder {
    fn decode(&mut self, bytes: &[u8], is_last: bool) -> String {
        let options = js_sys::Object::new();
        // Setting a property of a new object cannot fail.
        let _ = js_sys::Reflect::set(&options, &"stream".into(), &(!is_last).into());
        self.0.decode(bytes, &options).unwrap_or_default()
    }
}

struct ReportReader {
    files: HostFiles,
    handle: u32,
    at: u64,
}

impl Read for ReportReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = HostFs::read(&self.files, self.handle, buffer, self.at);
        let count = count.map_err(|_| io::Error::other(HostFs::last_error(&self.files)))?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Drop for ReportReader {
    fn drop(&mut self) {
        HostFs::close(&self.files, self.handle);
    }
}

/// Converts an answer of the host. Failures are negative numbers: `Failure` of npm/engine/src/host.ts.
fn check_answer(answer: i32) -> Result<u32, HostError> {
    u32::try_from(answer).map_err(|_| convert_failure(answer))
}

fn convert_failure(answer: i32) -> HostError {
    match answer {
        -1 => HostError::NotFound,
        -2 => HostError::Exists,
        -3 => HostError::Denied,
        -4 => HostError::Full,
        -5 => HostError::IsFolder,
        -6 => HostError::Busy,
        -7 => HostError::Refused,
        _ => HostError::Failed,
    }
}

fn to_js_number(offset: u64) -> Result<f64, HostError> {
    if offset > MAX_FILE_BYTES {
        return Err(HostError::Full);
    }
    #[expect(clippy::cast_precision_loss, reason = "up to 2^53 every integer is a double")]
    Ok(offset as f64)
}
