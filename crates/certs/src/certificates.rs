//! Certificates, made when the test runs.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use std::fs;
use std::path::{Path, PathBuf};

/// An authority that signs certificates.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// The files of a certificate and its key.
#[derive(Clone, Debug)]
pub struct CertFiles {
    /// The certificate, in PEM.
    pub cert: PathBuf,
    /// Its private key, in PEM.
    pub key: PathBuf,
}

impl Authority {
    /// An authority of this name, with a key of its own.
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Its own certificate, as a file.
    pub fn file(&self, dir: &Path, name: &str) -> PathBuf {
        let path = dir.join(name);
        fs::write(&path, &self.pem).unwrap();
        path
    }

    /// A certificate for these names and addresses, in the files `NAME.cert` and `NAME.key`.
    pub fn sign(&self, dir: &Path, name: &str, names: &[&str]) -> CertFiles {
        self.sign_until(dir, name, names, 2999)
    }

    /// The same, which ends with the beginning of a year.
    pub fn sign_until(&self, dir: &Path, name: &str, names: &[&str], year: i32) -> CertFiles {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(year, 1, 1));
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap().pem();
        let pair = CertFiles { cert: dir.join(format!("{name}.cert")), key: dir.join(format!("{name}.key")) };
        fs::write(&pair.cert, cert).unwrap();
        fs::write(&pair.key, key.serialize_pem()).unwrap();
        pair
    }
}
