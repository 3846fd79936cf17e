/* Thrust includes this header and uses nothing of it. Its calculations of occupancy (cudaOcc...) are not here: programs ask the runtime. */
#pragma once
