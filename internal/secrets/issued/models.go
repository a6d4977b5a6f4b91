package issued

import "github.com/council-engine/council/internal/secrets/value"

// models are those of providers of models.
var models = []Form{
	{"anthropic-key", "sk-ant-", value.Base64URL, 30, 300, nil},
	{"openai-key", "sk-proj-", value.Base64URL, 30, 300, nil},
	{"openai-key", "sk-svcacct-", value.Base64URL, 30, 300, nil},
	{"openai-key", "sk-admin-", value.Base64URL, 30, 300, nil},
	{"openai-key", "sk-None-", value.Base64URL, 30, 300, nil},
	{"openrouter-key", "sk-or-v1-", value.LowHex, 64, 0, nil},
	{"openai-key", "sk-", value.Base62, 32, 128, nil}, // and of those who took the form over
	{"google-auth-key", "AQ.Ab8R", value.Base64URL, 40, 120, nil},
	{"groq-key", "gsk_", value.Base62, 48, 60, nil},
	{"mistral-key", "mistral_", value.Base62, 32, 48, nil},
	{"huggingface-token", "hf_", value.Base62, 34, 40, nil},
	{"huggingface-token", "api_org_", value.Base62, 34, 40, nil},
	{"replicate-token", "r8_", value.Base62, 37, 40, nil},
	{"perplexity-key", "pplx-", value.Base62, 40, 64, nil},
	{"xai-key", "xai-", value.Base62, 70, 90, nil},
	{"cerebras-key", "csk-", value.Base62, 40, 64, nil},
	{"fireworks-key", "fw_", value.Base62, 22, 40, nil},
	{"together-key", "tgp_v1_", value.Base64URL, 40, 60, nil},
	{"nvidia-key", "nvapi-", value.Base64URL, 60, 72, nil},
	{"pinecone-key", "pcsk_", value.Word, 50, 90, nil},
	{"langsmith-key", "lsv2_pt_", value.NewClass("_", "09", "af"), 40, 50, nil},
	{"langsmith-key", "lsv2_sk_", value.NewClass("_", "09", "af"), 40, 50, nil},
	{"elevenlabs-key", "sk_", value.LowHex, 48, 0, nil},
	{"jina-key", "jina_", value.Base64URL, 50, 80, nil},
	{"firecrawl-key", "fc-", value.LowHex, 32, 0, nil},
	{"tavily-key", "tvly-", value.Base64URL, 24, 60, nil},
}
