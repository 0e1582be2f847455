//! What goes between a call and its database: statements out, rows in, as plain JavaScript values.
//!
//! Values are sent as text, as every driver can, and bytes as bytes. What comes back is text with the number of its type.

use crate::convert::thrown;
use argus_engine::ErrorCode;
use argus_store::database::{
    Cell,
    postgres::{Answer, Batch, Driver, DriverError, Statement},
};
use js_sys::{Array, Object, Reflect, Uint8Array};
use std::{
    cell::{Cell as Flag, RefCell},
    future::poll_fn,
    rc::Rc,
    task::Poll,
};
use wasm_bindgen::{JsCast, JsValue};

/// Numbers of types (PostgreSQL's `pg_type.dat`).
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

/// One request at a time, or its answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wire(Rc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    slot: RefCell<Slot>,
    /// The open transaction was given up; the host is told with the next request.
    is_abandoned: Flag<bool>,
}

#[derive(Debug, Default)]
enum Slot {
    #[default]
    Nothing,
    Asked(Batch),
    Answered(Result<Vec<Answer>, DriverError>),
}

impl Driver for Wire {
    async fn run(&self, batch: Batch) -> Result<Vec<Answer>, DriverError> {
        self.0.slot.replace(Slot::Asked(batch));
        poll_fn(|_| match self.0.slot.take() {
            Slot::Answered(answer) => Poll::Ready(answer),
            other => {
                self.0.slot.replace(other);
                Poll::Pending
            }
        })
        .await
    }

    fn abandon(&self) {
        self.0.is_abandoned.set(true);
    }
}

impl Wire {
    /// `{ statements: [{ sql, params }], isLast, isFresh }`; fresh: on a connection without an open transaction.
    pub(crate) fn take_request(&self) -> Result<JsValue, JsValue> {
        let Slot::Asked(Batch { statements, is_last }) = self.0.slot.take() else {
            return Err(thrown(ErrorCode::InternalError, "A call waits for nothing."));
        };
        let asked = statements.iter().map(statement).collect::<Result<Array, JsValue>>()?;
        object(&[
            ("statements", asked.into()),
            ("isLast", is_last.into()),
            ("isFresh", self.0.is_abandoned.take().into()),
        ])
    }

    /// An array of `{ types, rows, tag }`, or `{ code, message }`; undefined where nothing was asked yet.
    pub(crate) fn answer(&self, answer: &JsValue) -> Result<(), JsValue> {
        if answer.is_undefined() {
            return Ok(());
        }
        let answered = match answer.dyn_ref::<Array>() {
            Some(answers) => Ok(answers.iter().map(|answer| answer_of(&answer)).collect::<Result<_, _>>()?),
            None => Err(DriverError { code: text(answer, "code")?, message: text(answer, "message")? }),
        };
        self.0.slot.replace(Slot::Answered(answered));
        Ok(())
    }
}

fn statement(Statement { sql, params }: &Statement) -> Result<JsValue, JsValue> {
    let params: Array = params.iter().map(value).collect();
    object(&[("sql", JsValue::from_str(sql)), ("params", params.into())])
}

fn value(cell: &Cell) -> JsValue {
    match cell {
        Cell::Null => JsValue::NULL,
        Cell::Int(value) => value.to_string().into(),
        Cell::Real(value) => value.to_string().into(),
        // A text of this server cannot hold one.
        Cell::Text(value) if value.contains('\0') => value.replace('\0', "").into(),
        Cell::Text(value) => value.into(),
        Cell::Bytes(value) => Uint8Array::from(value.as_slice()).into(),
    }
}

fn answer_of(answer: &JsValue) -> Result<Answer, JsValue> {
    let types: Vec<u32> = array(answer, "types")?.iter().map(number).collect();
    let rows = array(answer, "rows")?;
    let row = |row: JsValue| {
        let cells: Array = row.unchecked_into();
        types.iter().zip(cells.iter()).map(|(of, cell)| cell_of(*of, &cell)).collect::<Option<Vec<Cell>>>()
    };
    let rows = rows.iter().map(row).collect::<Option<_>>();
    let rows =
        rows.ok_or_else(|| thrown(ErrorCode::InternalError, "The database answered a value of another type."))?;
    Ok(Answer { rows, tag: text(answer, "tag")? })
}

fn cell_of(of: u32, cell: &JsValue) -> Option<Cell> {
    if cell.is_null() {
        return Some(Cell::Null);
    }
    let text = cell.as_string()?;
    match of {
        oid::BOOL => Some(Cell::Int((text == "t").into())),
        oid::INT2 | oid::INT4 | oid::INT8 => text.parse().ok().map(Cell::Int),
        oid::FLOAT4 | oid::FLOAT8 | oid::NUMERIC => text.parse().ok().map(Cell::Real),
        oid::BYTEA => bytes(&text).map(Cell::Bytes),
        _ => Some(Cell::Text(text)),
    }
}

/// `\x` and two digits a byte.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits = text.strip_prefix("\\x")?.as_bytes();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::needless_pass_by_value,
    reason = "a number of a type"
)]
fn number(value: JsValue) -> u32 {
    value.as_f64().unwrap_or_default() as u32
}

fn text(of: &JsValue, key: &str) -> Result<String, JsValue> {
    Ok(Reflect::get(of, &key.into())?.as_string().unwrap_or_default())
}

fn array(of: &JsValue, key: &str) -> Result<Array, JsValue> {
    Reflect::get(of, &key.into())?.dyn_into()
}

fn object(fields: &[(&str, JsValue)]) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (key, value) in fields {
        Reflect::set(&object, &JsValue::from_str(key), value)?;
    }
    Ok(object.into())
}
