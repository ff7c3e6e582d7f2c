import CEaselPixels
import EaselCore

/// Throws an error for the status of a kernel; `work` names the kernel's work in the message.
func check(_ status: easel_status, _ work: @autoclosure () -> String) throws(ImageError) {
  switch status {
  case EASEL_OK: return
  case EASEL_NO_MEMORY: throw ImageError.exhausted("There is no memory to \(work()).")
  case EASEL_TOO_LARGE: throw ImageError(.limitExceeded, "The picture is too large to \(work()).")
  default: throw ImageError(.transformFailed, "The pixel kernels cannot \(work()) (status \(status.rawValue)).")
  }
}
