// Package endpoint asks models that a server has, over HTTP and by any of three protocols: chat completions and responses,
// which OpenAI, Gemini, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter, Azure and many others speak, and Anthropic's messages.
package endpoint
