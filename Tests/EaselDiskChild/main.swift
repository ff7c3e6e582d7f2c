import EaselCore
import EaselDisk
import FoundationEssentials
import Glibc

// usage: EaselDiskChild churn DIRECTORY SEED          stores, removes, trims and clears until it is killed
//        EaselDiskChild share DIRECTORY SEED ROUNDS   stores and reads beside others, and checks what it stored
let arguments = CommandLine.arguments
let directory = arguments[2]
var random = ChildRandom(state: UInt64(arguments[3])!)

switch arguments[1] {
case "churn": try Churn.run(directory, &random)
default: try Sharing.run(directory, rounds: Int(arguments[4])!, &random)
}
