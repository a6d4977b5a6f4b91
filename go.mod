module github.com/council-engine/council

go 1.26
