//! Which genes are in which schema.

use crate::ClusterError;
use std::fmt;

/// Genes there are.
const GENES: u16 = 256;

/// How many schemas a cluster has, fixed when it is laid out. Schema `n` has the genes whose low bits are `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    schemas: u16,
}

/// The name of a schema: `g` and its number as two hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SchemaName(pub u8);

impl fmt::Display for SchemaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{:02x}", self.0)
    }
}

impl Layout {
    /// A layout of so many schemas.
    ///
    /// # Errors
    /// When that is no power of two, or more than there are genes.
    pub(crate) fn new(schemas: u16) -> Result<Self, ClusterError> {
        if schemas.is_power_of_two() && schemas <= GENES {
            return Ok(Self { schemas });
        }
        Err(ClusterError::Terms(format!("a cluster has 1, 2, 4 .. {GENES} schemas, not {schemas}")))
    }

    /// Returns how many there are.
    pub(crate) const fn len(self) -> u16 {
        self.schemas
    }

    /// All schemas.
    pub(crate) fn schemas(self) -> impl Iterator<Item = SchemaName> {
        (0..self.schemas).filter_map(|number| u8::try_from(number).ok()).map(SchemaName)
    }

    /// The schema of a gene.
    pub(crate) fn schema_of(self, gene: u8) -> SchemaName {
        SchemaName(u8::try_from(u16::from(gene) % self.schemas).unwrap_or_default())
    }

    /// The genes of a schema.
    pub(crate) fn genes(self, schema: SchemaName) -> impl Iterator<Item = u8> {
        let first = u16::from(schema.0);
        (first..GENES).step_by(usize::from(self.schemas)).filter_map(|gene| u8::try_from(gene).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gene_is_in_the_schema_of_its_low_bits() {
        for bits in 0..=8 {
            let layout = Layout::new(1 << bits).unwrap();
            let mut genes = Vec::new();
            for schema in layout.schemas() {
                for gene in layout.genes(schema) {
                    assert_eq!(u16::from(gene) & (layout.len() - 1), u16::from(schema.0));
                    assert_eq!(layout.schema_of(gene), schema);
                    genes.push(gene);
                }
            }
            genes.sort_unstable();
            assert_eq!(genes, (0..=255).collect::<Vec<u8>>());
        }
        assert_eq!(SchemaName(10).to_string(), "g0a");
    }

    #[test]
    fn other_numbers_are_no_layout() {
        for schemas in [0, 3, 100, 257, 512] {
            let error = Layout::new(schemas).unwrap_err().to_string();
            assert!(error.contains(&format!("not {schemas}")), "{error}");
        }
    }
}
