//! Incidents: problems that a person or an agent described. `search` finds them by their text; their solutions are in
//! `solutions`.

pub use crate::keys::IncidentKey;

use crate::{
    database::{Row, Tx},
    error::StoreError,
    search,
};

/// An incident. Its texts are redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Row key.
    pub key: IncidentKey,
    /// `inc-…`, or the id from an import.
    pub id: String,
    /// Title in one line.
    pub title: String,
    /// The error as it was printed.
    pub error_signature: Option<String>,
    /// Description of the problem.
    pub summary: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// UTC milliseconds.
    pub updated_at: i64,
}

/// The texts of an incident.
#[derive(Clone, Copy, Debug)]
pub struct IncidentTexts<'a> {
    /// Title in one line.
    pub title: &'a str,
    /// The error as it was printed.
    pub error_signature: Option<&'a str>,
    /// Description of the problem.
    pub summary: Option<&'a str>,
    /// Labels. They must not contain line breaks, because they are stored as lines.
    pub tags: &'a [String],
}

/// An incident to insert.
#[derive(Clone, Copy, Debug)]
pub struct NewIncident<'a> {
    /// `inc-…`, or the id from an import.
    pub id: &'a str,
    /// Texts, redacted.
    pub texts: IncidentTexts<'a>,
    /// UTC milliseconds.
    pub now: i64,
}

macro_rules! columns {
    () => {
        "SELECT key, id, title, error_signature, summary, tags, created_at, updated_at FROM incidents "
    };
}

/// Inserts an incident.
pub fn insert(tx: &mut Tx<'_>, id: &str, texts: &IncidentTexts<'_>, now: i64) -> Result<IncidentKey, StoreError> {
    let keys = insert_all(tx, &[NewIncident { id, texts: *texts, now }])?;
    keys.first().copied().ok_or_else(|| StoreError::corrupt("an inserted incident gave no key"))
}

/// Inserts incidents in this order.
pub fn insert_all(tx: &mut Tx<'_>, new: &[NewIncident<'_>]) -> Result<Vec<IncidentKey>, StoreError> {
    const SQL: &str = "INSERT INTO incidents (id, title, error_signature, summary, tags, created_at, updated_at) \
                       VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING key";
    let tags: Vec<String> = new.iter().map(|incident| incident.texts.tags.join("\n")).collect();
    let params = new.iter().zip(&tags).map(|(NewIncident { id, texts, now }, tags)| {
        let IncidentTexts { title, error_signature, summary, .. } = *texts;
        [(*id).into(), title.into(), error_signature.into(), summary.into(), tags.into(), (*now).into()]
    });
    let rows = tx.query_many(SQL, &params.collect::<Vec<_>>())?;
    search::add_to_total(tx, "incidents", i64::try_from(new.len()).unwrap_or(i64::MAX))?;
    rows.into_iter().flatten().map(|mut row| row.read().map(IncidentKey)).collect()
}

/// Replaces the texts of an incident.
pub fn update(tx: &mut Tx<'_>, key: IncidentKey, texts: &IncidentTexts<'_>, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE incidents SET title = $2, error_signature = $3, summary = $4, tags = $5, \
                       updated_at = $6 WHERE key = $1";
    let tags = texts.tags.join("\n");
    let params = [
        key.into(),
        texts.title.into(),
        texts.error_signature.into(),
        texts.summary.into(),
        (&tags).into(),
        now.into(),
    ];
    tx.execute_deferred(SQL, &params)
}

/// Returns the incident with this id.
pub fn find_by_id(tx: &mut Tx<'_>, id: &str) -> Result<Option<Incident>, StoreError> {
    Ok(find_by_ids(tx, [id])?.pop())
}

/// Returns the incidents with these ids. Unknown ids are skipped.
pub fn find_by_ids<'i>(tx: &mut Tx<'_>, ids: impl IntoIterator<Item = &'i str>) -> Result<Vec<Incident>, StoreError> {
    let ids: Vec<_> = ids.into_iter().map(|id| [id.into()]).collect();
    let rows = tx.query_many(concat!(columns!(), "WHERE id = $1"), &ids)?;
    rows.into_iter().flatten().map(|mut row| read_incident(&mut row)).collect()
}

/// Returns the incident with this key.
pub fn get(tx: &mut Tx<'_>, key: IncidentKey) -> Result<Option<Incident>, StoreError> {
    let row = tx.query_first(concat!(columns!(), "WHERE key = $1"), &[key.into()])?;
    row.map(|mut row| read_incident(&mut row)).transpose()
}

/// Returns the titles of the incidents with these keys.
pub fn read_titles(tx: &mut Tx<'_>, keys: &[IncidentKey]) -> Result<Vec<Option<String>>, StoreError> {
    let keys: Vec<_> = keys.iter().map(|key| [(*key).into()]).collect();
    let rows = tx.query_many("SELECT title FROM incidents WHERE key = $1", &keys)?;
    rows.into_iter().map(|mut rows| rows.pop().map(|mut row| row.read()).transpose()).collect()
}

/// Returns the id of the incident with this key.
pub fn find_id(tx: &mut Tx<'_>, key: IncidentKey) -> Result<Option<String>, StoreError> {
    let row = tx.query_first("SELECT id FROM incidents WHERE key = $1", &[key.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// Returns ids that start with `prefix`, in descending order. Ids that Argus creates rise with time.
pub fn list_ids_with_prefix(tx: &mut Tx<'_>, prefix: &str, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT id FROM incidents WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    let after = format!("{prefix}\u{10ffff}");
    let rows = tx.query(SQL, &[prefix.into(), (&after).into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// Returns a page of incidents in the order of insertion, starting after the incident with the id `after`.
pub fn list_page(tx: &mut Tx<'_>, after: Option<&str>, limit: u32) -> Result<Vec<Incident>, StoreError> {
    const SQL: &str = concat!(columns!(), "WHERE key > $1 ORDER BY key LIMIT $2");
    let after = match after {
        Some(id) => find_by_id(tx, id)?.map_or(i64::MAX, |incident| incident.key.0),
        None => 0,
    };
    let rows = tx.query(SQL, &[after.into(), limit.into()])?;
    rows.into_iter().map(|mut row| read_incident(&mut row)).collect()
}

/// Returns the keys and creation times of the newest incidents.
pub fn list_newest(tx: &mut Tx<'_>, limit: u32) -> Result<Vec<(IncidentKey, i64)>, StoreError> {
    const SQL: &str = "SELECT key, created_at FROM incidents ORDER BY key DESC LIMIT $1";
    let rows = tx.query(SQL, &[limit.into()])?;
    rows.into_iter().map(|mut row| Ok((IncidentKey(row.read()?), row.read()?))).collect()
}

/// Returns the number of incidents.
pub fn count(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    search::read_total(tx, "incidents")
}

fn read_incident(row: &mut Row) -> Result<Incident, StoreError> {
    Ok(Incident {
        key: IncidentKey(row.read()?),
        id: row.read()?,
        title: row.read()?,
        error_signature: row.read()?,
        summary: row.read()?,
        tags: row.read::<String>()?.lines().map(ToOwned::to_owned).collect(),
        created_at: row.read()?,
        updated_at: row.read()?,
    })
}
