//! The list of databases that a cluster is on.

use crate::DatabaseError;
use crate::address::{DatabaseAddress, DatabaseTls};
use std::fmt;
use tokio_postgres::Config;

/// Databases of a cluster at most: each has a gene at least.
const DATABASES_MAX: usize = 256;

/// Bytes of a name at most.
const NAME_LEN_MAX: usize = 31;

/// A database, by the name that it has in the cluster for ever; where it is may change.
#[derive(Clone)]
pub struct Database {
    name: String,
    address: DatabaseAddress,
}

/// Its address may have a password, so it is not shown.
impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Database {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) const fn config(&self) -> &Config {
        &self.address.config
    }

    /// Returns whether a pooler of transactions is in between.
    pub const fn is_pooled(&self) -> bool {
        self.address.is_pooled
    }

    pub(crate) const fn tls(&self) -> &DatabaseTls {
        &self.address.tls
    }

    /// Reads a line, the so-manyth of the list. A password may stand in any part of one that is wrong, so that nothing of it
    /// is repeated, nor what its parser says.
    fn parse(line: &str, nth: usize) -> Result<Self, DatabaseError> {
        let wrong = |problem: &str| {
            let form = "`name=postgresql://user@host/database`";
            Err(DatabaseError::Terms(format!("number {nth} of `databases` must be {form}: {problem}")))
        };
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_name = |name: &str| (1..=NAME_LEN_MAX).contains(&name.len()) && name.bytes().all(is_word);
        let Some((name, url)) = line.split_once('=').filter(|(name, _)| is_name(name)) else {
            return wrong(&format!("its name is 1 to {NAME_LEN_MAX} of a-z, 0-9 and _"));
        };
        match DatabaseAddress::parse(url) {
            Ok(address) => Ok(Self { name: name.to_owned(), address }),
            Err(problem) => wrong(&format!("the address of `{name}`: {problem}")),
        }
    }
}

/// The databases of a cluster, the first of which has what is one for all.
#[derive(Clone, Debug)]
pub struct Databases(Vec<Database>);

impl Databases {
    /// Reads lines as `name=postgresql://user@host/database`.
    ///
    /// # Errors
    /// [`DatabaseError::Terms`], which repeats no address.
    pub fn parse(lines: &[String]) -> Result<Self, DatabaseError> {
        let databases = lines
            .iter()
            .zip(1..)
            .map(|(line, nth)| Database::parse(line, nth))
            .collect::<Result<Vec<_>, _>>()?;
        if databases.is_empty() || databases.len() > DATABASES_MAX {
            let count = databases.len();
            return Err(DatabaseError::Terms(format!(
                "a cluster is on 1 to {DATABASES_MAX} databases, not on {count}: set `databases`"
            )));
        }
        for (place, database) in databases.iter().enumerate() {
            if databases[..place].iter().any(|other| other.name == database.name) {
                let name = &database.name;
                return Err(DatabaseError::Terms(format!("two databases are named `{name}`")));
            }
        }
        Ok(Self(databases))
    }

    /// All of them.
    pub fn all(&self) -> &[Database] {
        &self.0
    }

    /// Returns how many of them are on the server of one, as far as their addresses tell.
    pub fn on_the_server_of(&self, database: usize) -> usize {
        let server = |config: &Config| (config.get_hosts().to_vec(), config.get_ports().to_vec());
        let Some(of_this) = self.0.get(database).map(|database| server(database.config())) else { return 0 };
        self.0.iter().filter(|other| server(other.config()) == of_this).count()
    }

    /// The one that has what is one for all.
    pub fn first(&self) -> &Database {
        &self.0[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(lines: &[&str]) -> Result<Vec<String>, String> {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let databases = Databases::parse(&lines).map_err(|error| error.to_string())?;
        Ok(databases.all().iter().map(|database| database.name().to_owned()).collect())
    }

    #[test]
    fn a_list_is_names_and_addresses() {
        let lines = ["first=postgresql://a:secret@h:1/x?sslmode=disable", "d2=host=/tmp user=b dbname=y"];
        assert_eq!(parsed(&lines), Ok(vec!["first".to_owned(), "d2".to_owned()]));
    }

    #[test]
    fn what_is_wrong_is_said_without_a_secret() {
        for (lines, said) in [
            (&[][..], "1 to 256 databases, not on 0"),
            (&["postgresql//a:secret@h/x"], "number 1 of `databases`"),
            (&["a=host=/h", "postgresql//a:secret@h/x?sslmode=disable"], "number 2 of `databases`"),
            (&["First=postgresql://a:secret@h/x"], "its name is 1 to 31"),
            (&["=postgresql://a:secret@h/x"], "its name is 1 to 31"),
            (&["pa=secret"], "the address of `pa`"),
            (&["a="], "names no host"),
            (&["a=postgresql://a:secret@h:port/x"], "the address of `a`"),
            (&["a=postgresql://a:secret@h/x?sslmode=secret"], "`sslmode` is disable"),
            (&["a=postgresql://a:secret@localhost/x?pooler=secret"], "`pooler` is `transaction`"),
            (&["a=postgresql://a:secret@h/x?sslrootcert=/no/such"], "`sslrootcert` /no/such: No such file"),
            (&["a=host=/h", "a=postgresql://a:secret@localhost/y"], "two databases are named `a`"),
        ] {
            let error = parsed(lines).unwrap_err();
            assert!(error.contains(said), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn an_address_is_not_shown() {
        let shown =
            format!("{:?}", Databases::parse(&["a=postgresql://u:secret@localhost/x".to_owned()]).unwrap());
        assert!(shown.contains("\"a\"") && !shown.contains("secret"), "{shown}");
    }
}
