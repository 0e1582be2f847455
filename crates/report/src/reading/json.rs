//! Streams JSON reports without trusting their shape.
//!
//! A parser implements [`ObjectReader`] for the objects that it wants; arrays of objects are passed item by item
//! ([`ItemSink`]). A value of an unexpected type is skipped, because a report is still useful if a field is odd. Only
//! broken JSON ends the reading, after everything before it was passed on. The whole report is never in memory.

pub(crate) mod guard;
pub(crate) mod values;

use std::fmt;
use std::io::{BufRead, BufReader};
use std::marker::PhantomData;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::ReportErrorKind;
use crate::intake::Intake;
use crate::reading::input::Input;
use guard::JsonGuard;

/// Visitor methods that skip values of an unexpected type.
macro_rules! skip_scalars {
    () => {
        fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<(), E> {
            Ok(())
        }
        fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<(), E> {
            Ok(())
        }
        fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<(), E> {
            Ok(())
        }
        fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<(), E> {
            Ok(())
        }
        fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<(), E> {
            Ok(())
        }
        fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
            Ok(())
        }
    };
}
use skip_scalars;

/// Reads `input` into `root`. Broken JSON becomes a problem.
pub(crate) fn read<R: BufRead, T: ObjectReader>(input: Input<R>, root: &mut T) -> ReadOutcome {
    let mut guard = JsonGuard::new(input);
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::with_capacity(32 * 1024, &mut guard));
    let result = ObjectSeed(root).deserialize(&mut deserializer);
    drop(deserializer);
    let replaced = guard.replaced();
    ReadOutcome { replaced, error: result.err() }
}

/// How the reading ended.
pub(crate) struct ReadOutcome {
    replaced: u64,
    error: Option<serde_json::Error>,
}

impl ReadOutcome {
    /// Converts what went wrong into problems. Returns an error if nothing was read at all.
    pub(crate) fn report(
        self,
        format: &'static str,
        known: bool,
        intake: &mut Intake<'_>,
    ) -> Result<(), ReportErrorKind> {
        if let Some(error) = self.error {
            let reason = if error.is_eof() { "the report ends early".to_owned() } else { error.to_string() };
            if intake.cases() == 0 {
                return Err(ReportErrorKind::Malformed { format, reason });
            }
            let line = u64::try_from(error.line()).ok().filter(|line| *line > 0);
            intake.add_problem(line, format!("{reason}; only the complete part before it was read"));
        } else if !known {
            return Err(ReportErrorKind::Malformed { format, reason: "it lacks the fields of this format".to_owned() });
        }
        intake.report_replaced_bytes(self.replaced);
        Ok(())
    }
}

/// An object whose fields are read in the order of the report.
pub(crate) trait ObjectReader {
    /// True if an item that the end of the report cut off should be kept.
    const KEEPS_TRUNCATED_ITEMS: bool = false;

    /// Reads the value of `key`, or skips it with [`skip`].
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error>;
}

/// An array of objects that are passed one at a time.
pub(crate) trait ItemSink {
    type Item: ObjectReader;
    /// Creates an empty item.
    fn start(&mut self) -> Self::Item;
    /// Takes a complete item.
    fn take(&mut self, item: Self::Item);
    /// Takes an item that the end of the report cut off.
    fn take_truncated(&mut self, _item: Self::Item) {}
}

impl<T: ObjectReader + Default> ItemSink for Vec<T> {
    type Item = T;

    fn start(&mut self) -> T {
        T::default()
    }

    fn take(&mut self, item: T) {
        self.push(item);
    }

    fn take_truncated(&mut self, item: T) {
        if T::KEEPS_TRUNCATED_ITEMS {
            self.push(item);
        }
    }
}

/// Skips a value of any depth.
pub(crate) fn skip<'de, M: MapAccess<'de>>(map: &mut M) -> Result<(), M::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// Reads the fields of an object into `T`. Other values are skipped.
pub(crate) struct ObjectSeed<'t, T>(pub(crate) &'t mut T);

impl<'de, T: ObjectReader> DeserializeSeed<'de> for ObjectSeed<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: ObjectReader> Visitor<'de> for ObjectSeed<'_, T> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(Name(key)) = map.next_key()? {
            self.0.field(&key, &mut map)?;
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<(), S::Error> {
        skip_items(seq)
    }

    skip_scalars!();
}

/// Reads an array of objects into `T`. Other values are skipped.
pub(crate) struct ArraySeed<'t, T>(pub(crate) &'t mut T);

impl<'de, T: ItemSink> DeserializeSeed<'de> for ArraySeed<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: ItemSink> Visitor<'de> for ArraySeed<'_, T> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        loop {
            let mut item = self.0.start();
            match seq.next_element_seed(ObjectSeed(&mut item)) {
                Ok(Some(())) => self.0.take(item),
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.0.take_truncated(item);
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<(), M::Error> {
        skip_fields(map)
    }

    skip_scalars!();
}

/// The name of a field.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

fn skip_items<'de, S: SeqAccess<'de>>(mut seq: S) -> Result<(), S::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

fn skip_fields<'de, M: MapAccess<'de>>(mut map: M) -> Result<(), M::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// A value of any type except an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum LooseValue {
    #[default]
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<LooseValue>),
}

impl LooseValue {
    /// Returns the text. A number becomes text too, for example an id in TAP or CTRF; a blank text becomes `None`.
    pub(crate) fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text).filter(|text| !text.trim().is_empty()),
            Self::Number(number) => Some(number.to_string()),
            Self::Null | Self::Flag(_) | Self::List(_) => None,
        }
    }

    /// Returns the text unchanged, even if it is blank.
    pub(crate) fn raw(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Flag(_) | Self::Number(_) | Self::List(_) => None,
        }
    }

    /// Returns the texts of a list. A single text is treated as a list.
    pub(crate) fn texts(self) -> Vec<String> {
        match self {
            Self::List(items) => items.into_iter().filter_map(Self::text).collect(),
            other => other.text().into_iter().collect(),
        }
    }

    /// Returns the number, also if it is written as text.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Null | Self::Flag(_) | Self::List(_) => None,
        }
    }

    /// Returns the value as a whole number below a million.
    pub(crate) fn count(&self) -> Option<u32> {
        let number = self.number().filter(|number| (0.0..1e6).contains(number))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a million")]
        Some(number as u32)
    }

    /// Returns the value as a time in milliseconds since the epoch.
    pub(crate) fn millis(&self) -> Option<i64> {
        let number = self.number().filter(|number| (0.0..1e15).contains(number))?;
        #[expect(clippy::cast_possible_truncation, reason = "within the exact range of a double")]
        Some(number as i64)
    }
}

impl<'de> Deserialize<'de> for LooseValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

struct LooseVisitor(PhantomData<()>);

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = LooseValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<LooseValue, E> {
        Ok(LooseValue::Flag(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<LooseValue, E> {
        Ok(LooseValue::Number(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "durations and times stay far below 2^53")]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<LooseValue, E> {
        Ok(LooseValue::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "durations and times stay far below 2^53")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<LooseValue, E> {
        Ok(LooseValue::Number(value as f64))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<LooseValue, E> {
        Ok(LooseValue::Text(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<LooseValue, E> {
        Ok(LooseValue::Text(value))
    }

    fn visit_unit<E: de::Error>(self) -> Result<LooseValue, E> {
        Ok(LooseValue::Null)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<LooseValue, S::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(LooseValue::List(items))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<LooseValue, M::Error> {
        skip_fields(map).map(|()| LooseValue::Null)
    }
}
