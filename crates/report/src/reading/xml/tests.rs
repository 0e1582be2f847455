//! Compares the XML reader with a general XML library on every XML fixture: elements, attributes and text must be
//! equal.

use std::path::Path;

use quick_xml::events::Event;

use super::{Tag, Token, XmlReader};
use crate::reading::input::Input;

/// Elements as `<name` and `>name`, and the visible characters of texts, because layout and entities may differ.
fn read_with_own_reader(bytes: &[u8]) -> Vec<String> {
    let (input, _) = Input::open(bytes, None).unwrap_or_else(|_| unreachable!("fixtures are text"));
    let mut reader = XmlReader::new(input);
    let mut found = Vec::new();
    loop {
        match reader.next().unwrap() {
            Token::Open(tag) => found.push(open(tag)),
            Token::Close(name) => found.push(format!(">{name}")),
            Token::Text(text) => push_text(&mut found, text),
            Token::End => return found,
        }
    }
}

fn open(tag: &Tag) -> String {
    let count = ["name", "message", "type", "classname", "file", "time"].iter().filter(|name| tag.has(name)).count();
    format!("<{} {count}", tag.name())
}

fn push_text(found: &mut Vec<String>, text: &str) {
    let visible: String = text.split_whitespace().collect();
    match found.last_mut() {
        Some(last) if last.starts_with('=') => last.push_str(&visible),
        _ => found.push(format!("={visible}")),
    }
}

fn read_with_quick_xml(text: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut found = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                let wanted = ["name", "message", "type", "classname", "file", "time"];
                let names = start.attributes().map(|attribute| attribute.unwrap().key.as_ref().to_owned());
                let count = names.filter(|name: &String| wanted.contains(&name.as_str())).count();
                found.push(format!("<{} {count}", start.name().as_ref()));
            }
            Event::End(end) => found.push(format!(">{}", end.name().as_ref())),
            Event::Text(text) => push_text(&mut found, text.as_ref()),
            Event::CData(text) => push_text(&mut found, text.as_ref()),
            Event::GeneralRef(entity) => push_text(&mut found, &entity_text(entity.as_ref())),
            Event::Eof => return found,
            _ => {}
        }
    }
}

fn entity_text(name: &str) -> String {
    let code = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).map(String::from);
    match name {
        "lt" => "<".to_owned(),
        "gt" => ">".to_owned(),
        "amp" => "&".to_owned(),
        "quot" => "\"".to_owned(),
        "apos" => "'".to_owned(),
        _ => name.strip_prefix("#x").map_or_else(|| code(&name[1..], 10), |hex| code(hex, 16)).unwrap_or_default(),
    }
}

#[test]
fn matches_quick_xml_on_well_formed_reports() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/reports");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in entries.filter(|path| path.extension().is_some_and(|extension| extension == "xml")) {
        let text = std::fs::read_to_string(&path).unwrap();
        // Empty texts are dropped, because only one reader may report white space.
        let squeeze = |found: Vec<String>| found.into_iter().filter(|token| token != "=").collect::<Vec<_>>();
        assert_eq!(
            squeeze(read_with_own_reader(text.as_bytes())),
            squeeze(read_with_quick_xml(&text)),
            "{}",
            path.display()
        );
    }
}
