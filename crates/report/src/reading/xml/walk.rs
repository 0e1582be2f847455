//! Walks through an XML report and passes its elements to a format. The formats of test frameworks other than `JUnit`
//! share it.

use std::io::BufRead;

use super::{Tag, Token, XmlReader};
use crate::{
    error::ReportErrorKind,
    intake::Intake,
    reading::{bounded_text::BoundedText, input::Input},
};

/// Elements below this depth are skipped.
const MAX_DEPTH: usize = 256;

/// A report format in XML.
pub(crate) trait ElementHandler {
    /// Name of the format for errors.
    const FORMAT: &'static str;
    /// Names of the root element.
    const ROOTS: &'static [&'static str];
    /// Elements whose text is wanted.
    const TEXTS: &'static [&'static str];

    /// Handles the start of an element. `parent` is empty for the root.
    fn open(&mut self, tag: &Tag, parent: &str, intake: &mut Intake<'_>);

    /// Handles the end of an element. `text` is its own text if the element is in [`Self::TEXTS`] and not blank.
    fn close(&mut self, name: &str, parent: &str, text: Option<String>, intake: &mut Intake<'_>);
}

struct OpenElement {
    name: String,
    text: Option<BoundedText>,
}

/// Reads a report to its end. Elements that the end of the report cuts off are not closed, because a test could lack
/// its failure.
pub(crate) fn walk<R: BufRead, F: ElementHandler>(
    input: Input<R>,
    format: &mut F,
    intake: &mut Intake<'_>,
) -> Result<(), ReportErrorKind> {
    let mut reader = XmlReader::new(input);
    let mut elements: Vec<OpenElement> = Vec::new();
    let (mut is_known, mut is_complete) = (false, false);
    loop {
        let line = reader.line();
        match reader.next() {
            Ok(Token::Open(tag)) => {
                let parent = elements.last().map_or("", |open| open.name.as_str());
                is_known |= F::ROOTS.contains(&tag.name());
                if elements.len() < MAX_DEPTH {
                    format.open(tag, parent, intake);
                } else if elements.len() == MAX_DEPTH {
                    intake.add_problem(Some(line), format!("elements nested deeper than {MAX_DEPTH} are skipped"));
                }
                let text = F::TEXTS.contains(&tag.name()).then(BoundedText::error);
                elements.push(OpenElement { name: tag.name().to_owned(), text });
            }
            Ok(Token::Text(text)) => {
                if let Some(wanted) = elements.last_mut().and_then(|open| open.text.as_mut()) {
                    wanted.push_str(text);
                }
            }
            Ok(Token::Close(name)) => {
                let Some(depth) = elements.iter().rposition(|open| open.name == name) else {
                    intake.add_problem(Some(line), "an end tag without its start tag is ignored");
                    continue;
                };
                if depth + 1 < elements.len() {
                    intake.add_problem(Some(line), "an element is not closed before its parent is");
                }
                while elements.len() > depth
                    && let Some(open) = elements.pop()
                {
                    let parent = elements.last().map_or("", |open| open.name.as_str());
                    if elements.len() < MAX_DEPTH {
                        format.close(&open.name, parent, open.text.and_then(BoundedText::finish), intake);
                    }
                }
                is_complete |= elements.is_empty();
            }
            Ok(Token::End) => break,
            Err(error) => {
                intake.add_problem(Some(line), format!("reading stopped: {error}"));
                break;
            }
        }
        while let Some(fault) = reader.take_fault() {
            intake.add_remark(Some(line), fault);
        }
    }
    if !is_known {
        let reason = format!("it has no {} element", F::ROOTS.join(" or "));
        return Err(ReportErrorKind::Malformed { format: F::FORMAT, reason });
    }
    if !is_complete || !elements.is_empty() {
        intake.add_problem(Some(reader.line()), "the report ends early; only its complete part was read");
    }
    intake.report_replaced_bytes(reader.replaced());
    Ok(())
}
