//! A value for each of some genes, found by one step: a page asks where 256 logs stand.

use guanxi_model::Gene;

/// Values by gene.
#[derive(Debug)]
pub(super) struct ByGene<V>(Vec<Option<V>>);

impl<V> Default for ByGene<V> {
    fn default() -> Self {
        Self((0..=u8::MAX).map(|_| None).collect())
    }
}

impl<V> ByGene<V> {
    /// The value of a gene.
    #[inline]
    pub(super) fn get(&self, gene: Gene) -> Option<&V> {
        self.0[usize::from(gene.0)].as_ref()
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, gene: Gene) -> Option<&mut V> {
        self.0[usize::from(gene.0)].as_mut()
    }

    /// Puts the value of a gene.
    pub(super) fn insert(&mut self, gene: Gene, value: V) {
        self.0[usize::from(gene.0)] = Some(value);
    }

    /// Takes the value of a gene away.
    pub(super) fn remove(&mut self, gene: Gene) -> Option<V> {
        self.0[usize::from(gene.0)].take()
    }

    /// All values, in the order of genes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Gene, &V)> {
        (0..=u8::MAX).map(Gene).zip(&self.0).filter_map(|(gene, value)| Some((gene, value.as_ref()?)))
    }
}
