//! The rules of the product, written on the ports alone.
