import EaselEverything
import EaselCore
import EaselTestCorpus
import Glibc

let coders: [any ImageCoder] = CoderRegistry.everything.coders.reversed()
Sandbox.runIfWorker(coders: coders)
let sandbox = CommandLine.arguments.contains("--sandbox") ? Sandbox() : nil

guard Corpus.shared != nil else {
  let text = Array("corpus-table: \(Corpus.skipReason)\n".utf8)
  _ = write(2, text, text.count)
  exit(2)
}
var table = CorpusTable()
for coder in coders {
  guard let checks = CorpusChecks(of: coder, checked: sandbox.map { Sandbox.Coder(coder, in: $0) }) else { continue }
  // Messages begin with the name that the type of the coder has.
  let name = String(describing: type(of: coder)).dropLast("Coder".count)
  table.add(checks, named: String(name), plays: checks.plays)
}
print(table.text)
exit(table.isRight ? 0 : 1)
