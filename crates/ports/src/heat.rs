//! The heat map of follows: how many there are between groups of genes, and whether both sides of them agree.

use guanxi_model::Gene;

/// Groups of genes: genes with the same high four bits are a group.
pub const GENE_GROUPS: usize = 16;

/// A side of follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeatSide {
    /// The facts, by the users who follow.
    Forward,
    /// The rows derived from them, by the users who are followed.
    Reverse,
}

/// The follows from users of one group of genes to users of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeatCell {
    /// The group of the users who follow.
    pub subjects: u8,
    /// The group of the users who are followed.
    pub objects: u8,
    /// Follows in the facts.
    pub forward: u64,
    /// Follows in what is derived from them.
    pub reverse: u64,
    /// Whether both sides have the same follows: their numbers, and the sums of their hashes.
    pub agrees: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Folded {
    count: u64,
    sum: u128,
}

/// A heat map that is being made: the sums of both sides by groups.
pub struct HeatMap {
    forward: Vec<Folded>,
    reverse: Vec<Folded>,
}

impl Default for HeatMap {
    fn default() -> Self {
        let side = vec![Folded::default(); GENE_GROUPS * GENE_GROUPS];
        Self { forward: side.clone(), reverse: side }
    }
}

impl HeatMap {
    /// Adds follows from users of a gene to users of another: how many, and the sum of their hashes.
    pub fn add(&mut self, side: HeatSide, (subject, object): (Gene, Gene), count: u64, sum: u128) {
        let place = group(subject) * GENE_GROUPS + group(object);
        let folded = match side {
            HeatSide::Forward => &mut self.forward[place],
            HeatSide::Reverse => &mut self.reverse[place],
        };
        folded.count = folded.count.wrapping_add(count);
        folded.sum = folded.sum.wrapping_add(sum);
    }

    /// Returns the cells that have follows on a side, by the group of the users who follow and then by that of the others.
    pub fn cells(&self) -> Vec<HeatCell> {
        let sides = self.forward.iter().zip(&self.reverse).enumerate();
        let there = sides.filter(|(_, (forward, reverse))| forward.count > 0 || reverse.count > 0);
        let cell = |(place, (forward, reverse)): (usize, (&Folded, &Folded))| HeatCell {
            subjects: (place / GENE_GROUPS) as u8,
            objects: (place % GENE_GROUPS) as u8,
            forward: forward.count,
            reverse: reverse.count,
            agrees: forward == reverse,
        };
        there.map(cell).collect()
    }
}

fn group(gene: Gene) -> usize {
    usize::from(gene.0 >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_with_other_follows_disagree_though_their_numbers_are_equal() {
        let mut map = HeatMap::default();
        for (side, sums) in [(HeatSide::Forward, [7, 9]), (HeatSide::Reverse, [8, 9])] {
            map.add(side, (Gene(0x2f), Gene(0x10)), 1, sums[0]);
            map.add(side, (Gene(0x00), Gene(0xff)), 3, sums[1]);
        }
        let cell = |subjects, objects, count, agrees| HeatCell {
            subjects,
            objects,
            forward: count,
            reverse: count,
            agrees,
        };
        assert_eq!(map.cells(), [cell(0, 15, 3, true), cell(2, 1, 1, false)]);
    }
}
