package wire

// Cache is a cache entry.
// https://docs.github.com/en/rest/actions/cache#list-github-actions-caches-for-a-repository
type Cache struct {
	ID             int64  `json:"id"`
	Ref            string `json:"ref"`
	Key            string `json:"key"`
	Version        string `json:"version"`
	LastAccessedAt Time   `json:"last_accessed_at"`
	CreatedAt      Time   `json:"created_at"`
	SizeInBytes    int64  `json:"size_in_bytes"`
}

// CacheUsage is what a repository's cache entries take.
// https://docs.github.com/en/rest/actions/cache#get-github-actions-cache-usage-for-a-repository
type CacheUsage struct {
	FullName string `json:"full_name"`
	Size     int64  `json:"active_caches_size_in_bytes"`
	Count    int    `json:"active_caches_count"`
}
