//! Generates the TypeScript list of calls from `argus_engine::calls`: their types, a named method for each call, and
//! the JSON Schemas of their params and results.

use crate::contract;
use argus_engine::calls::{Access, Audience, CallInfo, CallVisitor, visit_all};
use schemars::{
    JsonSchema, Schema, SchemaGenerator,
    generate::SchemaSettings,
    transform::{Transform, transform_subschemas},
};
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, fmt::Write as _};
use ts_rs::{Config, TS, TypeVisitor};

const HEADER: &str = "// Generated from crates/engine/src/calls.rs by `cargo xtask types`; edit there.\n";

/// The generated files.
pub(crate) struct GeneratedFiles {
    pub(crate) typescript: String,
    pub(crate) schemas: String,
}

/// Generates both files.
pub(crate) fn generate() -> GeneratedFiles {
    let mut calls = CallCollector::new();
    visit_all(&mut calls);
    GeneratedFiles { typescript: calls.typescript(), schemas: calls.schemas() }
}

struct CallCollector {
    config: Config,
    named: TypeNames,
    params: SchemaGenerator,
    results: SchemaGenerator,
    list: Vec<Call>,
}

struct Call {
    info: CallInfo,
    params: String,
    result: String,
    /// Set if all fields of the params are optional.
    is_optional: bool,
    params_schema: Schema,
    result_schema: Schema,
}

impl CallVisitor for CallCollector {
    fn visit<P: TS + JsonSchema + 'static, R: TS + JsonSchema + 'static>(&mut self, info: &CallInfo) {
        TypeVisitor::visit::<P>(&mut self.named);
        TypeVisitor::visit::<R>(&mut self.named);
        self.list.push(Call {
            info: *info,
            params: P::name(&self.config),
            result: R::name(&self.config),
            is_optional: !has_required_field(&P::inline(&self.config)),
            params_schema: self.params.subschema_for::<P>(),
            result_schema: self.results.subschema_for::<R>(),
        });
    }
}

impl CallCollector {
    fn new() -> Self {
        // Params and results need separate schemas of a type, because a field can be optional in params and always
        // present in results.
        let settings = |definitions: &'static str| {
            SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = definitions.into())
        };
        let params = settings("/params").into_generator();
        let results =
            settings("/results").for_serialize().with_transform(RemoveNullFromOptionalFields).into_generator();
        Self { config: contract::build_config(), named: TypeNames::default(), params, results, list: Vec::new() }
    }

    fn typescript(&self) -> String {
        let (mut types, mut methods) = (String::new(), String::new());
        for Call { info, params, result, is_optional, .. } in &self.list {
            let CallInfo { name, docs, .. } = info;
            let docs = docs.trim();
            let default = if *is_optional { " = {}" } else { "" };
            let _ = writeln!(types, "  /** {docs} */\n  {name}: {{ params: {params}; result: {result} }};");
            let _ = writeln!(
                methods,
                "\n  /** {docs} */\n  {name}(params: {params}{default}): Promise<{result}> {{\n    return this.call('{name}', params);\n  }}"
            );
        }
        let is_mentioned = |name: &&str| types.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name);
        let names: Vec<&str> = self.named.0.iter().map(String::as_str).filter(is_mentioned).collect();
        format!(
            "{HEADER}
import type {{
  {imports},
}} from './contract.ts';

/** The params and the result of each call of the engine. */
export interface Calls {{
{types}}}

export type CallName = keyof Calls;

/** The calls that may change stored data. */
export const WRITING_CALLS = [
{writing}] as const satisfies readonly CallName[];

/** The writing calls that change learned data, as a person does. */
export const EDITING_CALLS = [
{editing}] as const satisfies readonly CallName[];

/** The calls that another machine of a team may make. */
export const TEAM_CALLS = [
{team}] as const satisfies readonly CallName[];

/** The calls that a page in a browser may make. */
export const PAGE_CALLS = [
{page}] as const satisfies readonly CallName[];

/** A method for each call. Each method forwards to `call`. */
export abstract class NamedCalls {{
  abstract call<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']>;
{methods}}}
",
            imports = names.join(",\n  "),
            writing = self.list_call_names(|info| info.access != Access::Reads),
            editing = self.list_call_names(|info| info.access == Access::Edits),
            team = self.list_call_names(|info| info.audience >= Audience::Team),
            page = self.list_call_names(|info| info.audience == Audience::Page),
        )
    }

    fn list_call_names(&self, belongs: impl Fn(&CallInfo) -> bool) -> String {
        let calls = self.list.iter().filter(|call| belongs(&call.info));
        calls.flat_map(|call| ["  '", call.info.name, "',\n"]).collect()
    }

    fn schemas(&mut self) -> String {
        let calls: Map<String, Value> = self
            .list
            .iter()
            .map(|call| {
                (call.info.name.to_owned(), json!({ "params": call.params_schema, "result": call.result_schema }))
            })
            .collect();
        let whole = json!({
            "$comment": "Generated from crates/engine/src/calls.rs by `cargo xtask types`; edit there.",
            "calls": calls,
            "params": self.params.take_definitions(true),
            "results": self.results.take_definitions(true),
        });
        format!("{whole:#}\n")
    }
}

/// Removes null from optional fields of results, because `skip_serializing_if` leaves them out. schemars makes such
/// fields optional, but keeps null in their type.
#[derive(Clone)]
struct RemoveNullFromOptionalFields;

impl Transform for RemoveNullFromOptionalFields {
    fn transform(&mut self, schema: &mut Schema) {
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            if !required.iter().any(|one| one == name) {
                remove_null(property);
            }
        }
        transform_subschemas(self, schema);
    }
}

/// Turns `["string", "null"]` into `"string"`, and `anyOf` of a schema and null into the schema.
fn remove_null(property: &mut Value) {
    let Some(schema) = property.as_object_mut() else { return };
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|one| one != &json!({ "type": "null" }));
        if let [Value::Object(one)] = choices.as_slice() {
            let one = one.clone();
            schema.remove("anyOf");
            for (key, value) in one {
                // The description of the field is more specific than the description of its type.
                schema.entry(key).or_insert(value);
            }
        }
    }
}

/// Returns `true` if an object type has a required field, which is a field whose name is not followed by `?`.
fn has_required_field(object: &str) -> bool {
    let (mut depth, mut before) = (0_usize, ' ');
    for letter in remove_comments(object).chars() {
        match letter {
            '{' | '<' | '[' => depth += 1,
            '}' | '>' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 1 && before != '?' => return true,
            _ => {}
        }
        before = letter;
    }
    false
}

fn remove_comments(text: &str) -> String {
    let parts = text.split("/**");
    parts.map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect()
}

/// Names of the contract's types that the calls mention.
#[derive(Default)]
struct TypeNames(BTreeSet<String>);

impl TypeVisitor for TypeNames {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_some() {
            self.0.insert(T::ident(&contract::build_config()));
        } else {
            T::visit_dependencies(self);
            T::visit_generics(self);
        }
    }
}
