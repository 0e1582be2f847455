//! Sends statements to the host and reads rows, both as plain JavaScript values. The host function returns when the
//! server has answered.
//!
//! Values are sent as text, which every driver accepts; bytes are sent as bytes. Rows come back as text with the type
//! number of each column.

use crate::files::count_write;
use argus_store::database::{
    Cell,
    postgres::{Answer, Batch, Driver, DriverError, Statement},
};
use js_sys::{Array, Function, Object, Reflect, Uint8Array};
use std::cell::Cell as Flag;
use wasm_bindgen::{JsCast, JsValue};

/// Type numbers (OIDs) from PostgreSQL's `pg_type.dat`.
mod oid {
    pub(super) const BOOL: u32 = 16;
    pub(super) const BYTEA: u32 = 17;
    pub(super) const INT8: u32 = 20;
    pub(super) const INT2: u32 = 21;
    pub(super) const INT4: u32 = 23;
    pub(super) const FLOAT4: u32 = 700;
    pub(super) const FLOAT8: u32 = 701;
    pub(super) const NUMERIC: u32 = 1700;
}

/// SQLSTATE `internal_error`.
const INTERNAL_ERROR: &str = "XX000";

/// Sends batches through a function of the host. The function takes
/// `{ statements: [{ sql, params }], isLast, isFresh }` and returns an array of `{ types, rows, tag }`, or
/// `{ code, message }`. `isFresh` asks for a connection without an open transaction.
#[derive(Debug)]
pub(crate) struct HostDriver {
    send: Function,
    /// True if the open transaction was abandoned. The next batch tells this to the host.
    is_abandoned: Flag<bool>,
}

impl HostDriver {
    pub(crate) fn new(send: Function) -> Self {
        Self { send, is_abandoned: Flag::new(false) }
    }

    fn send_batch(&self, Batch { statements, is_last }: &Batch) -> Result<JsValue, JsValue> {
        let statements = statements.iter().map(encode_statement).collect::<Result<Array, JsValue>>()?;
        let request = create_object(&[
            ("statements", statements.into()),
            ("isLast", (*is_last).into()),
            ("isFresh", self.is_abandoned.take().into()),
        ])?;
        self.send.call1(&JsValue::NULL, &request)
    }
}

impl Driver for HostDriver {
    fn run(&self, batch: Batch) -> Result<Vec<Answer>, DriverError> {
        count_write();
        let answer =
            self.send_batch(&batch).map_err(|_| invalid_answer_error("the host could not send the statements"))?;
        let error = |_| invalid_answer_error("the host's answer has no valid rows");
        match answer.dyn_ref::<Array>() {
            Some(answers) => answers.iter().map(|answer| decode_answer(&answer)).collect(),
            None => Err(DriverError {
                code: get_text(&answer, "code").map_err(error)?,
                message: get_text(&answer, "message").map_err(error)?,
            }),
        }
    }

    fn abandon(&self) {
        self.is_abandoned.set(true);
    }
}

fn invalid_answer_error(message: &str) -> DriverError {
    DriverError { code: INTERNAL_ERROR.to_owned(), message: message.to_owned() }
}

fn encode_statement(Statement { sql, params }: &Statement) -> Result<JsValue, JsValue> {
    let params: Array = params.iter().map(encode_value).collect();
    create_object(&[("sql", JsValue::from_str(sql)), ("params", params.into())])
}

fn encode_value(cell: &Cell) -> JsValue {
    match cell {
        Cell::Null => JsValue::NULL,
        Cell::Int(value) => value.to_string().into(),
        Cell::Real(value) => value.to_string().into(),
        // PostgreSQL cannot store NUL in a text.
        Cell::Text(value) if value.contains('\0') => value.replace('\0', "").into(),
        Cell::Text(value) => value.into(),
        Cell::Bytes(value) => Uint8Array::from(value.as_slice()).into(),
    }
}

fn decode_answer(answer: &JsValue) -> Result<Answer, DriverError> {
    let unreadable = |_| invalid_answer_error("the host's answer has no valid rows");
    let types: Vec<u32> = get_array(answer, "types").map_err(unreadable)?.iter().map(to_type_oid).collect();
    let rows = get_array(answer, "rows").map_err(unreadable)?;
    let row = |row: JsValue| {
        let cells: Array = row.unchecked_into();
        types
            .iter()
            .zip(cells.iter())
            .map(|(type_oid, cell)| decode_cell(*type_oid, &cell))
            .collect::<Option<Vec<Cell>>>()
    };
    let rows = rows.iter().map(row).collect::<Option<_>>();
    let rows = rows.ok_or_else(|| invalid_answer_error("the server answered a value of another type"))?;
    Ok(Answer { rows, tag: get_text(answer, "tag").map_err(unreadable)? })
}

fn decode_cell(type_oid: u32, cell: &JsValue) -> Option<Cell> {
    if cell.is_null() {
        return Some(Cell::Null);
    }
    let text = cell.as_string()?;
    match type_oid {
        oid::BOOL => Some(Cell::Int((text == "t").into())),
        oid::INT2 | oid::INT4 | oid::INT8 => text.parse().ok().map(Cell::Int),
        oid::FLOAT4 | oid::FLOAT8 | oid::NUMERIC => text.parse().ok().map(Cell::Real),
        oid::BYTEA => decode_bytes(&text).map(Cell::Bytes),
        _ => Some(Cell::Text(text)),
    }
}

/// Decodes `\x` followed by two hex digits per byte.
fn decode_bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits = text.strip_prefix("\\x")?.as_bytes();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::needless_pass_by_value,
    reason = "an OID is a small integer"
)]
fn to_type_oid(value: JsValue) -> u32 {
    value.as_f64().unwrap_or_default() as u32
}

fn get_text(object: &JsValue, key: &str) -> Result<String, JsValue> {
    Ok(Reflect::get(object, &key.into())?.as_string().unwrap_or_default())
}

fn get_array(object: &JsValue, key: &str) -> Result<Array, JsValue> {
    Reflect::get(object, &key.into())?.dyn_into()
}

fn create_object(fields: &[(&str, JsValue)]) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (key, value) in fields {
        Reflect::set(&object, &JsValue::from_str(key), value)?;
    }
    Ok(object.into())
}
