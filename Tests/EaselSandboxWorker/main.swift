import EaselAVIF
import EaselBasic
import EaselCore
import EaselGIF
import EaselHEIF
import EaselJPEG
import EaselJXL
import EaselMisbehaving
import EaselPNG
import EaselSandbox
import EaselTIFF
import EaselWebP
import Glibc

// The worker of the tests. Under other names it does what a worker must not do: it has a second thread, or is silent.
let name = CommandLine.arguments[0]
if name.hasSuffix("-with-threads") { PlainThread.start { while true { pause() } } }
if name.hasSuffix("-silent") { while true { pause() } }
Sandbox.runIfWorker(coders: [
  MisbehavingCoder(), BMPCoder(), ICOCoder(), PNMCoder(), QOICoder(), AVIFCoder(), HEIFCoder(), JXLCoder(), TIFFCoder(),
  GIFCoder(), WebPCoder(), PNGCoder(), JPEGCoder(),
])
// And it is a host without standard streams, whose end tells whether it has a sandbox.
if name.hasSuffix("host-without-streams") {
  for stream in 0..<3 { close(Int32(stream)) }
  exit((try? Sandbox().start()) == nil ? 1 : 0)
}
exit(2)
