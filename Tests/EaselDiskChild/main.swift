import EaselCore
import EaselDisk
import FoundationEssentials
import Glibc

// usage: EaselDiskChild churn DIRECTORY SEED [SIZE LIMIT]
//          stores, removes, trims and clears until it is killed
//        EaselDiskChild share DIRECTORY SEED ROUNDS SECONDS
//          stores and reads beside other processes, and checks its entries; the process with seed 1 also clears
//        EaselDiskChild hold DIRECTORY SEED
//          holds the lock that opening needs until it is killed
//        EaselDiskChild end DIRECTORY SEED close|release
//          opens and closes many stores, and fails if they leave threads or descriptors behind
//        EaselDiskChild limit DIRECTORY SEED BYTES worker|main
//          stores until the limit of file sizes is reached, and fails unless that gives an error
let arguments = CommandLine.arguments
let directory = arguments[2]
let seed = UInt64(arguments[3])!
var random = ChildRandom(state: seed)

switch arguments[1] {
case "churn": try Churn.run(directory, sizeLimit: arguments.count > 4 ? Int(arguments[4]) : nil, &random)
case "hold": Holding.run(directory)
case "end": try Ending.run(directory, closes: arguments[4] == "close")
case "descriptors": try Limited.readWithoutDescriptors(directory)
case "limit": try Limited.run(directory, size: UInt(arguments[4])!, onWorker: arguments[5] == "worker")
default:
  var sharing = Sharing(directory, clears: seed == 1, random)
  try sharing.run(rounds: Int(arguments[4])!, seconds: Int(arguments[5])!)
}
