//! Reads JSON reports whose objects are small: the items of an array, or an object per line.

use std::{
    fmt,
    io::{BufRead, BufReader, Read},
};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{ReadOutcome, guard::JsonGuard, skip_scalars};
use crate::{intake::Intake, reading::input::Input};

/// Maximum length of a line. Strings are bounded before, so only an object with very many strings is cut.
const MAX_LINE_BYTES: u64 = 1024 * 1024;

/// Maximum length of an object on several lines, because each further line parses the object again from its beginning.
const MAX_OBJECT_BYTES: usize = 64 * 1024;

/// Receives the values of a report in the order of the report.
pub(crate) trait ValueReceiver {
    /// Keys of the root whose arrays are passed item by item. The items of a root array have an empty key.
    const ARRAYS: &'static [&'static str];

    /// Takes an item of such an array, or the value of another key of the root.
    fn value(&mut self, key: &str, value: Value);
}

/// Reads `input` into `values`. Broken JSON becomes a problem.
pub(crate) fn read<R: BufRead, T: ValueReceiver>(input: Input<R>, values: &mut T) -> ReadOutcome {
    let mut guard = JsonGuard::new(input);
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::with_capacity(32 * 1024, &mut guard));
    let result = Root(values).deserialize(&mut deserializer);
    drop(deserializer);
    ReadOutcome { replaced: guard.replaced(), error: result.err() }
}

/// Calls `on_line` with each line and its number.
pub(crate) fn for_each_line<R: BufRead>(
    input: Input<R>,
    intake: &mut Intake<'_>,
    mut on_line: impl FnMut(&str, u64, &mut Intake<'_>),
) {
    let mut guard = JsonGuard::lines(input);
    let mut reader = BufReader::with_capacity(64 * 1024, &mut guard);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        match reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => on_line(String::from_utf8_lossy(&line).trim(), number, intake),
            Err(error) => {
                intake.add_problem(Some(number), format!("reading stopped: {error}"));
                break;
            }
        }
    }
    drop(reader);
    intake.report_replaced_bytes(guard.replaced());
}

/// Calls `on_event` with each object, which is usually on one line. Other lines are output of the tests; an object that
/// is cut off is a problem.
pub(crate) fn for_each_event<R: BufRead>(
    input: Input<R>,
    intake: &mut Intake<'_>,
    mut on_event: impl FnMut(&Value, &mut Intake<'_>),
) {
    // Lines of an object that has not ended.
    let mut open = String::new();
    let mut last = 0;
    for_each_line(input, intake, |line, number, intake| {
        last = number;
        if !open.is_empty() && open.len() < MAX_OBJECT_BYTES {
            open.push_str(line);
            match serde_json::from_str::<Value>(&open) {
                Ok(event) => on_event(&event, intake),
                Err(error) if error.is_eof() => return,
                Err(_) => {}
            }
            open.clear();
            return;
        }
        match serde_json::from_str::<Value>(line) {
            Ok(event) if event.is_object() => on_event(&event, intake),
            Err(error) if error.is_eof() && line.starts_with('{') => line.clone_into(&mut open),
            // Flutter writes its daemon's events as arrays.
            Ok(_) | Err(_) => {}
        }
    });
    if !open.is_empty() {
        intake.add_problem(Some(last), "an event is cut off");
    }
}

/// Returns the text at `path`, unless it is blank. A number becomes text.
pub(crate) fn text(value: &Value, path: &str) -> Option<String> {
    match value.pointer(path)? {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the items of the array at `path`, or none.
pub(crate) fn items<'v>(value: &'v Value, path: &str) -> &'v [Value] {
    value.pointer(path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the number at `path`, also if it is written as text.
pub(crate) fn number(value: &Value, path: &str) -> Option<f64> {
    match value.pointer(path)? {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

struct Root<'t, T>(&'t mut T);

impl<'de, T: ValueReceiver> DeserializeSeed<'de> for Root<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: ValueReceiver> Visitor<'de> for Root<'_, T> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or array")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if T::ARRAYS.contains(&key.as_str()) {
                map.next_value_seed(Array { key: &key, values: self.0 })?;
            } else {
                self.0.value(&key, map.next_value()?);
            }
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<(), S::Error> {
        Array { key: "", values: self.0 }.visit_seq(seq)
    }

    skip_scalars!();
}

struct Array<'t, T> {
    key: &'t str,
    values: &'t mut T,
}

impl<'de, T: ValueReceiver> DeserializeSeed<'de> for Array<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: ValueReceiver> Visitor<'de> for Array<'_, T> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        while let Some(item) = seq.next_element()? {
            self.values.value(self.key, item);
        }
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }

    skip_scalars!();
}
