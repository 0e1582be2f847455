//! A driver for tests and measurements that run natively.

use super::{Answer, Batch, CheckedSchemas, Driver, DriverError, Postgres, SERVER_PROJECT, Statement};
use crate::{database::Cell, error::StoreError};
use postgres::{
    Client, Config, Error, NoTls, SimpleQueryMessage,
    types::{Format, FromSql, IsNull, ToSql, Type, private::BytesMut},
};
use std::{
    cell::{Cell as Counter, RefCell},
    error::Error as StdError,
    fmt,
    rc::Rc,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

/// A driver with a single connection.
pub struct NativeDriver {
    client: RefCell<Client>,
    round_trips: Counter<u32>,
}

impl NativeDriver {
    /// Connects to a server. `url` has the same form as for `psql`.
    pub fn connect(url: &str) -> Result<Self, DriverError> {
        let config: Config = url.parse().map_err(convert_error)?;
        let client = RefCell::new(config.connect(NoTls).map_err(convert_error)?);
        Ok(Self { client, round_trips: Counter::new(0) })
    }

    /// Returns the number of round trips since the last call of this function.
    pub fn take_round_trips(&self) -> u32 {
        self.round_trips.take()
    }
}

impl fmt::Debug for NativeDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NativeDriver")
    }
}

/// A database for one test: a copy of a database that this process migrates once, because copying is faster than
/// migrating. The copy is not deleted, because the tests run on a temporary server.
#[derive(Clone, Debug)]
pub struct CopiedDatabase {
    url: String,
    project: String,
}

impl CopiedDatabase {
    /// Creates a database on a server. `server` is the URL of any database of this server. The new database has the
    /// schema of [`SERVER_PROJECT`] and the schema of one empty project.
    pub fn new(server: &str) -> Result<Self, StoreError> {
        static TEMPLATE: Mutex<Option<String>> = Mutex::new(None);
        static COPIES: AtomicU32 = AtomicU32::new(0);
        let project = format!("t{}", std::process::id());
        let mut known = TEMPLATE.lock().unwrap_or_else(PoisonError::into_inner);
        let template = if let Some(name) = &*known {
            name.clone()
        } else {
            let name = format!("argus_{project}");
            create_database(server, &name, "template0")?;
            let driver = Rc::new(NativeDriver::connect(&database_url(server, &name))?);
            for schema in [SERVER_PROJECT, &project] {
                Postgres::new(Rc::<NativeDriver>::clone(&driver), schema, CheckedSchemas::default())?.migrate(0)?;
            }
            known.insert(name).clone()
        };
        drop(known);
        let name = format!("{template}_{}", COPIES.fetch_add(1, Ordering::Relaxed));
        create_database(server, &name, &template)?;
        Ok(Self { url: database_url(server, &name), project })
    }

    /// Opens a new connection.
    pub fn connect(&self) -> Result<Rc<NativeDriver>, StoreError> {
        Ok(Rc::new(NativeDriver::connect(&self.url)?))
    }

    /// Opens the memory of the project in this database over a connection.
    pub fn memory(&self, driver: &Rc<NativeDriver>) -> Result<Postgres, StoreError> {
        Postgres::new(Rc::<NativeDriver>::clone(driver), &self.project, CheckedSchemas::default())
    }

    /// Returns the name of the project in this database.
    pub fn project(&self) -> &str {
        &self.project
    }
}

fn create_database(server: &str, name: &str, template: &str) -> Result<(), StoreError> {
    let sql = format!("CREATE DATABASE \"{name}\" TEMPLATE \"{template}\"");
    let statements = vec![Statement::without_params(sql)];
    NativeDriver::connect(server)?.run(Batch { statements, is_last: true })?;
    Ok(())
}

fn database_url(server: &str, database: &str) -> String {
    let host = server.rsplit_once('/').map_or(server, |(host, _)| host);
    format!("{host}/{database}")
}

impl Driver for NativeDriver {
    fn run(&self, batch: Batch) -> Result<Vec<Answer>, DriverError> {
        self.round_trips.set(self.round_trips.get() + 1);
        let mut client = self.client.borrow_mut();
        batch.statements.iter().map(|statement| run_statement(&mut client, statement).map_err(convert_error)).collect()
    }

    fn abandon(&self) {
        // A ROLLBACK outside a transaction only causes a warning.
        let _ = self.client.borrow_mut().batch_execute("ROLLBACK");
    }
}

fn run_statement(client: &mut Client, Statement { sql, params }: &Statement) -> Result<Answer, Error> {
    if sql == "COMMIT" {
        // The crate `postgres` returns no command tags. The SELECT reports an error if the transaction has failed.
        // COMMIT alone would roll back without an error.
        client.batch_execute("SELECT 1; COMMIT")?;
        return Ok(Answer { rows: Vec::new(), tag: "COMMIT".to_owned() });
    }
    if params.is_empty() && !returns_rows(sql) {
        return Ok(convert_messages(&client.simple_query(sql)?));
    }
    let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|param| param as _).collect();
    let statement = client.prepare(sql)?;
    if statement.columns().is_empty() {
        let tag = client.execute(&statement, &params)?.to_string();
        return Ok(Answer { rows: Vec::new(), tag });
    }
    let rows = client.query(&statement, &params)?;
    let rows = rows.iter().map(|row| (0..row.len()).map(|at| row.try_get(at)).collect::<Result<_, _>>());
    let rows: Vec<Vec<Cell>> = rows.collect::<Result<_, _>>()?;
    Ok(Answer { tag: rows.len().to_string(), rows })
}

/// Returns true for statements that return rows, as opposed to `BEGIN`, `COMMIT` or a change of the schema.
fn returns_rows(sql: &str) -> bool {
    sql.starts_with("SELECT") || sql.contains("RETURNING")
}

fn convert_messages(messages: &[SimpleQueryMessage]) -> Answer {
    let changed = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::CommandComplete(changed) => Some(*changed),
        _ => None,
    });
    Answer { rows: Vec::new(), tag: changed.unwrap_or_default().to_string() }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn convert_error(error: Error) -> DriverError {
    let code = error.code().map_or_else(String::new, |code| code.code().to_owned());
    DriverError {
        code,
        message: error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned()),
    }
}

impl ToSql for Cell {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        let text = match self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Bytes(bytes) => {
                out.extend_from_slice(bytes);
                return Ok(IsNull::No);
            }
            Self::Int(value) => value.to_string(),
            Self::Real(value) => value.to_string(),
            Self::Text(value) => value.replace('\0', ""),
        };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        if matches!(self, Self::Bytes(_)) { Format::Binary } else { Format::Text }
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        self.to_sql(ty, out)
    }
}

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(match *ty {
            Type::BOOL => Self::Int(bool::from_sql(ty, raw)?.into()),
            Type::INT4 => Self::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Self::Int(i64::from_sql(ty, raw)?),
            Type::FLOAT8 => Self::Real(f64::from_sql(ty, raw)?),
            Type::BYTEA => Self::Bytes(raw.to_vec()),
            _ => Self::Text(String::from_utf8(raw.to_vec())?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
