//! Creates a project's schema or migrates it to this version. Code that serves calls never migrates an existing schema.

use super::{Answer, Batch, Driver, SCHEMA_PREFIX, Statement};
use crate::{
    database::{Cell, Row, sqlite::latest_version},
    error::{StoreError, StoreErrorKind},
};
use argus_core::builtin::BUILTIN_PATTERNS;

/// A script per version, starting with the first version that supported PostgreSQL. A script is never edited after
/// its release.
const MIGRATIONS: [(i64, &str); 11] = [
    (9, include_str!("../../migrations/postgres/0009.sql")),
    (10, include_str!("../../migrations/postgres/0010.sql")),
    (11, include_str!("../../migrations/postgres/0011.sql")),
    (12, include_str!("../../migrations/postgres/0012.sql")),
    (13, include_str!("../../migrations/postgres/0013.sql")),
    (14, include_str!("../../migrations/postgres/0014.sql")),
    (15, include_str!("../../migrations/postgres/0015.sql")),
    (16, include_str!("../../migrations/postgres/0016.sql")),
    (17, include_str!("../../migrations/postgres/0017.sql")),
    (18, include_str!("../../migrations/postgres/0018.sql")),
    (19, include_str!("../../migrations/postgres/0019.sql")),
];

/// State of a schema relative to this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// The schema does not exist.
    Missing,
    /// The schema has this earlier version.
    Older(i64),
    /// The schema has the current version.
    Current,
    /// The schema has this later version.
    Newer(i64),
}

impl SchemaState {
    fn from_version(version: i64) -> Self {
        match version.cmp(&latest_version()) {
            std::cmp::Ordering::Less => Self::Older(version),
            std::cmp::Ordering::Equal => Self::Current,
            std::cmp::Ordering::Greater => Self::Newer(version),
        }
    }

    /// Returns an error if this version cannot use the schema as it is.
    pub(super) fn require_current(self) -> Result<(), StoreError> {
        let latest = latest_version();
        match self {
            Self::Current | Self::Missing => Ok(()),
            Self::Older(version) => {
                let message = format!("it has version {version}, but this program needs version {latest}");
                Err(StoreError::new(StoreErrorKind::OlderSchema, &message))
            }
            Self::Newer(version) => {
                let message =
                    format!("its schema has version {version}, but this program supports versions up to {latest}");
                Err(StoreError::new(StoreErrorKind::NewerSchema, &message))
            }
        }
    }
}

/// Reads the answer to a version query and returns an error if this program cannot use that version.
pub(super) fn require_current_version(answer: Option<&mut Answer>) -> Result<(), StoreError> {
    let version = answer.and_then(|answer| answer.rows.pop()).map(|cells| Row::new(cells).read());
    match version {
        Some(version) => SchemaState::from_version(version?).require_current(),
        None => Err(StoreError::corrupt("the version of the schema is missing")),
    }
}

pub(super) fn read_state(driver: &dyn Driver, schema: &str) -> Result<SchemaState, StoreError> {
    if !query_one(driver, schema_exists_statement(schema))? {
        return Ok(SchemaState::Missing);
    }
    query_one(driver, Statement::without_params(format!("SELECT version FROM {}", writer_table(schema))))
        .map(SchemaState::from_version)
}

pub(super) fn count_writes(driver: &dyn Driver, schema: &str) -> Result<i64, StoreError> {
    query_one(driver, Statement::without_params(format!("SELECT turns FROM {}", writer_table(schema))))
}

pub(super) fn list_projects(driver: &dyn Driver) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, $1) ORDER BY 1";
    let params = vec![Cell::Text(SCHEMA_PREFIX.to_owned())];
    let statements = vec![Statement { sql: SQL.into(), params }];
    let answer = driver.run(Batch { statements, is_last: true })?.pop();
    let names = answer.map_or_else(Vec::new, |answer| answer.rows).into_iter().map(|cells| Row::new(cells).read());
    let names = names.collect::<Result<Vec<String>, _>>()?;
    let projects =
        names.iter().filter_map(|name| name.strip_prefix(SCHEMA_PREFIX)).filter(|name| !name.starts_with('_'));
    Ok(projects.map(ToOwned::to_owned).collect())
}

/// Creates or migrates the schema in one transaction. A lock makes processes migrate one after the other.
pub(super) fn migrate(driver: &dyn Driver, schema: &str, now: i64) -> Result<(), StoreError> {
    let begin = vec![
        Statement::without_params("BEGIN"),
        // The lock number is the same for all schemas, because roles belong to the whole cluster. The number itself is
        // arbitrary.
        Statement::without_params("SELECT pg_advisory_xact_lock(4705481236521489493)"),
        schema_exists_statement(schema),
    ];
    let run = || {
        let version = if read_last_answer(driver.run(Batch { statements: begin, is_last: false })?)? {
            let statement =
                Statement::without_params(format!("SELECT version FROM {} FOR UPDATE", writer_table(schema)));
            read_last_answer(driver.run(Batch { statements: vec![statement], is_last: false })?)?
        } else {
            0
        };
        if version > latest_version() {
            return SchemaState::from_version(version).require_current();
        }
        let mut statements = build_migration(schema, version, now);
        statements.push(Statement::without_params("COMMIT"));
        driver.run(Batch { statements, is_last: true })?;
        Ok(())
    };
    run().inspect_err(|_| driver.abandon())
}

fn build_migration(schema: &str, version: i64, now: i64) -> Vec<Statement> {
    if version == latest_version() {
        return Vec::new();
    }
    let mut statements = Vec::new();
    if version == 0 {
        statements.extend(build_schema_statements(schema));
    }
    statements.push(Statement::without_params(format!("SET LOCAL search_path TO \"{schema}\"")));
    for (_, script) in MIGRATIONS.iter().filter(|(number, _)| *number > version) {
        statements
            .extend(script.split(";\n").map(str::trim).filter(|sql| !sql.is_empty()).map(Statement::without_params));
    }
    statements
        .push(Statement { sql: "UPDATE writer SET version = $1".into(), params: vec![Cell::Int(latest_version())] });
    statements.extend(
        BUILTIN_PATTERNS
            .iter()
            .map(|builtin| build_builtin_insert(builtin.id, builtin.category.as_str(), &builtin.signature(), now)),
    );
    // The grants include the tables that were just created. The owner of the schema stays the same, so a call cannot
    // change the schema.
    for what in ["TABLES", "SEQUENCES"] {
        statements
            .push(Statement::without_params(format!("GRANT ALL ON ALL {what} IN SCHEMA \"{schema}\" TO \"{schema}\"")));
    }
    statements
}

/// Creates a role with the name of the schema. The role owns nothing and cannot log in; a call switches to it for the
/// duration of its transaction.
fn build_schema_statements(schema: &str) -> Vec<Statement> {
    let role = format!(
        "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{schema}') THEN \
         CREATE ROLE \"{schema}\" NOLOGIN; END IF; END $$"
    );
    let sql = [
        role,
        format!("GRANT \"{schema}\" TO CURRENT_USER"),
        format!("CREATE SCHEMA \"{schema}\""),
        format!("GRANT USAGE ON SCHEMA \"{schema}\" TO \"{schema}\""),
    ];
    sql.into_iter().map(Statement::without_params).collect()
}

/// Inserts the row of a built-in pattern unless it exists. Its texts are in `argus-core`.
fn build_builtin_insert(id: &'static str, category: &'static str, signature: &str, now: i64) -> Statement {
    const SQL: &str = "INSERT INTO patterns (id, source, category, recipe, signature, family, case_name, normalized, \
                       description, occurrences, resolutions, first_seen_at, last_seen_at, updated_at) \
                       VALUES ($1, 'built-in', $2, 'built-in', $3, $3, '', '', '', 0, 0, $4, $4, $4) \
                       ON CONFLICT DO NOTHING";
    let params = [id, category, signature].map(|text| Cell::Text(text.to_owned()));
    Statement { sql: SQL.into(), params: params.into_iter().chain([Cell::Int(now)]).collect() }
}

/// Returns a statement that selects whether the schema exists. The statement queries the catalog tables. A lookup by
/// name could return the state from before the wait for the migration lock.
fn schema_exists_statement(schema: &str) -> Statement {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                       WHERE n.nspname = $1 AND c.relname = 'writer')";
    Statement { sql: SQL.into(), params: vec![Cell::Text(schema.to_owned())] }
}

fn writer_table(schema: &str) -> String {
    format!("\"{schema}\".writer")
}

fn query_one<T: crate::database::FromCell>(driver: &dyn Driver, statement: Statement) -> Result<T, StoreError> {
    read_last_answer(driver.run(Batch { statements: vec![statement], is_last: true })?)
}

fn read_last_answer<T: crate::database::FromCell>(mut answers: Vec<Answer>) -> Result<T, StoreError> {
    let cells = answers.pop().and_then(|mut answer| answer.rows.pop());
    let cells = cells.ok_or_else(|| StoreError::corrupt("the server answered a query without a row"))?;
    Row::new(cells).read()
}
