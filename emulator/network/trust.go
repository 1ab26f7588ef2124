package network

// Trust returns the variables that make programs trust the authority whose certificate is in file.
// What reads which of them:
//
//	SSL_CERT_FILE                    OpenSSL, Go, Ruby, PHP, Rust's native certificates, uv
//	NIX_SSL_CERT_FILE                programs from nixpkgs
//	CURL_CA_BUNDLE                   curl
//	GIT_SSL_CAINFO                   git
//	REQUESTS_CA_BUNDLE, PIP_CERT     Python's requests, pip
//	NODE_EXTRA_CA_CERTS              Node.js, Bun
//	NPM_CONFIG_CAFILE                npm
//	DENO_CERT                        Deno
//	AWS_CA_BUNDLE                    the AWS command line and SDKs
//	CARGO_HTTP_CAINFO                cargo
//	BUNDLE_SSL_CA_CERT               Bundler
//	PERL_LWP_SSL_CA_FILE             Perl's LWP
//	GRPC_DEFAULT_SSL_ROOTS_FILE_PATH gRPC
//	CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE gcloud
func Trust(file string) map[string]string {
	env := map[string]string{}
	for _, name := range []string{
		"SSL_CERT_FILE", "NIX_SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "REQUESTS_CA_BUNDLE", "PIP_CERT",
		"NODE_EXTRA_CA_CERTS", "NPM_CONFIG_CAFILE", "DENO_CERT", "AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO", "BUNDLE_SSL_CA_CERT",
		"PERL_LWP_SSL_CA_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
	} {
		env[name] = file
	}
	return env
}
