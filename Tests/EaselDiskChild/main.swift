import EaselCore
import EaselDisk
import FoundationEssentials
import Glibc

// usage: EaselDiskChild churn DIRECTORY SEED [SIZE LIMIT]
//          stores, removes, trims and clears until it is killed
//        EaselDiskChild share DIRECTORY SEED ROUNDS SECONDS
//          stores and reads beside others, and checks what it stored; the one of seed 1 also clears
let arguments = CommandLine.arguments
let directory = arguments[2]
let seed = UInt64(arguments[3])!
var random = ChildRandom(state: seed)

switch arguments[1] {
case "churn": try Churn.run(directory, sizeLimit: arguments.count > 4 ? Int(arguments[4]) : nil, &random)
default:
  var sharing = Sharing(directory, clears: seed == 1, random)
  try sharing.run(rounds: Int(arguments[4])!, seconds: Int(arguments[5])!)
}
