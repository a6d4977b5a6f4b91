package secrets_test
import ("testing";"os";"strings";"path/filepath";"io/fs";"slices";"github.com/council-engine/council/internal/secrets")
func TestZZ(t *testing.T){
 raw,_:=os.ReadFile("/tmp/held/in.txt")
 for _,p:=range strings.Split(string(raw),"\n%%\n"){ out,_:=secrets.Cut(p); t.Logf("\n%s",out)}
}
func TestZR(t *testing.T){
 words,cuts:=0,0
 for _,root:=range strings.Fields(os.Getenv("ROOTS")){
 filepath.WalkDir(root,func(path string,d fs.DirEntry,err error)error{
  if err!=nil||d.IsDir()||!(slices.Contains(texts,filepath.Ext(path))||slices.Contains([]string{".rb",".pl",".pm",".php",".rst",".tf",".kt",".ts",".mjs",".cjs",".properties",".sql",".csv"},filepath.Ext(path))){return nil}
  raw,err:=os.ReadFile(path); if err!=nil||len(raw)>1<<20{return nil}
  x:=string(raw); words+=len(strings.Fields(x))
  for _,f:=range secrets.Find(x){cuts++; t.Logf("%s:%d: %s: %q",path,1+strings.Count(x[:f.Start],"\n"),f.Kind,x[max(0,f.Start-60):min(f.End,f.Start+80)])}
  return nil})}
 t.Logf("%d cuts in %d words",cuts,words)
}
