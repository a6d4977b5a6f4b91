package secrets

// modelTokens are those of providers of models.
var modelTokens = []token{
	{"anthropic-key", "sk-ant-", base64url, 30, 300, nil},
	{"openai-key", "sk-proj-", base64url, 30, 300, nil},
	{"openai-key", "sk-svcacct-", base64url, 30, 300, nil},
	{"openai-key", "sk-admin-", base64url, 30, 300, nil},
	{"openai-key", "sk-None-", base64url, 30, 300, nil},
	{"openrouter-key", "sk-or-v1-", lowHex, 64, 0, nil},
	{"openai-key", "sk-", base62, 32, 128, nil}, // and of those who took the form over
	{"google-auth-key", "AQ.Ab8R", base64url, 40, 120, nil},
	{"groq-key", "gsk_", base62, 48, 60, nil},
	{"mistral-key", "mistral_", base62, 32, 48, nil},
	{"huggingface-token", "hf_", base62, 34, 40, nil},
	{"huggingface-token", "api_org_", base62, 34, 40, nil},
	{"replicate-token", "r8_", base62, 37, 40, nil},
	{"perplexity-key", "pplx-", base62, 40, 64, nil},
	{"xai-key", "xai-", base62, 70, 90, nil},
	{"cerebras-key", "csk-", base62, 40, 64, nil},
	{"fireworks-key", "fw_", base62, 22, 40, nil},
	{"together-key", "tgp_v1_", base64url, 40, 60, nil},
	{"nvidia-key", "nvapi-", base64url, 60, 72, nil},
	{"pinecone-key", "pcsk_", word, 50, 90, nil},
	{"langsmith-key", "lsv2_pt_", newClass("_", "09", "af"), 40, 50, nil},
	{"langsmith-key", "lsv2_sk_", newClass("_", "09", "af"), 40, 50, nil},
	{"elevenlabs-key", "sk_", lowHex, 48, 0, nil},
	{"jina-key", "jina_", base64url, 50, 80, nil},
	{"tavily-key", "tvly-", base64url, 24, 60, nil},
}
